#include "gpu/ntt_passes.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "gpu/ntt_kernels.cuh"

namespace cuzk::gpu {

namespace {

constexpr u32 kThreads = 256;

u32 blocks_for(std::size_t count) {
    return static_cast<u32>((count + kThreads - 1) / kThreads);
}

// How a domain's index bits are shared out.
struct Shape {
    explicit Shape(unsigned log_domain)
        : tile_bits(std::min<unsigned>(kTileBits, log_domain)), outer_bits(log_domain - tile_bits) {}

    unsigned tile_bits, outer_bits;

    // One root power a block of a transform's last level.
    unsigned root_bits() const { return std::max({tile_bits, outer_bits, 1u}) - 1; }
};

// The levels over the tiles in passes over shared memory, from the lowest up; the rows of a pass have at least four neighbours.
struct OuterPasses {
    explicit OuterPasses(unsigned levels) : all(levels), count((levels + kTileBits - 3) / (kTileBits - 2)) {}

    unsigned lowest(unsigned pass) const { return all * pass / count; }
    unsigned levels(unsigned pass) const { return lowest(pass + 1) - lowest(pass); }

    unsigned all, count;
};

// A table of base^i, i < 2^bits, in two.
unsigned low_bits(unsigned bits) {
    return (bits + 1) / 2;
}

template <class Fr>
PowerTable<Fr> take_powers(Arena& arena, unsigned bits) {
    return {arena.take<Fr>(std::size_t{1} << low_bits(bits), "powers").data,
            arena.take<Fr>(std::size_t{1} << (bits - low_bits(bits)), "powers").data, low_bits(bits),
            Fr::one()};
}

std::size_t powers_bytes(std::size_t element, unsigned bits) {
    return Arena::rounded(element << low_bits(bits)) + Arena::rounded(element << (bits - low_bits(bits)));
}

template <class Fr>
LazyFactors<Fr> take_factors(Arena& arena, unsigned bits) {
    const std::size_t size = std::size_t{1} << bits;
    return {arena.take<uint4>(4 * size, "transform factors").data, static_cast<u32>(size)};
}

// Element i is the product of powers[k] over the bits k of i.
template <class Fr>
void fill_factors(const LazyFactors<Fr>& out, unsigned bits, const BitPowers<Fr>& powers,
                  const Stream& stream) {
    static constexpr auto kNegativeInverse = negative_modulus_inverse<Fr>();
    fill_lazy_factors<Fr>
        <<<blocks_for(out.size), kThreads, 0, stream.get()>>>(out, bits, powers, kNegativeInverse);
    check_launch("fill_lazy_factors");
}

// Roots in bit-reversed order: index bit k stands for the root of order 2^(k+2), whatever the transform's length.
template <class Fr>
LazyFactors<Fr> make_roots(Arena& arena, unsigned bits, const Fr& root, unsigned log_order,
                           const Stream& stream) {
    BitPowers<Fr> powers;
    Fr power = root;
    for (unsigned order = log_order; order >= 2; --order, power = power.square())
        if (order - 2 < bits) powers.power[order - 2] = power;
    const auto out = take_factors<Fr>(arena, bits);
    fill_factors(out, bits, powers, stream);
    return out;
}

template <class Fr>
Fr power_of_two_power(Fr base, unsigned log_exponent) {
    for (unsigned i = 0; i < log_exponent; ++i) base = base.square();
    return base;
}

template <class Fr>
void fill_power_table(const PowerTable<Fr>& out, unsigned bits, const Fr& base, const Fr& constant,
                      const Stream& stream) {
    const auto fill = [&](Fr* to, unsigned log_count, const Fr& step, const Fr& first) {
        const u32 count = 1u << log_count;
        fill_powers<<<blocks_for(count), kThreads, 0, stream.get()>>>(to, count, step, first);
        check_launch("fill_powers");
    };
    fill(out.low, out.low_bits, base, Fr::one());
    fill(out.high, bits - out.low_bits, power_of_two_power(base, out.low_bits), constant);
}

template <class Kernel>
void allow_shared_memory(Kernel kernel, std::size_t bytes) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
          "cudaFuncSetAttribute");
}

u32 threads_for(unsigned tile_bits) {
    return std::max(32u, (1u << tile_bits) / 8);
}

}  // namespace

template <class Fr>
std::size_t NttPasses<Fr>::table_bytes(unsigned log_size) {
    return 2 * Arena::rounded(LazyFactors<Fr>::kBytes << Shape(log_size).root_bits()) +
           powers_bytes(sizeof(Fr), log_size);
}

template <class Fr>
std::size_t NttPasses<Fr>::scale_bytes(unsigned log_size) {
    const Shape shape(log_size);
    return Arena::rounded(LazyFactors<Fr>::kBytes << shape.tile_bits) +
           powers_bytes(sizeof(Fr), shape.outer_bits);
}

template <class Fr>
NttPasses<Fr>::NttPasses(Arena& arena, const Domain<Fr>& domain, const Stream& stream)
    : log_size_(domain.log_size()) {
    if (log_size_ > kMaxLogSize)
        throw Error(ErrorKind::kUnsupported, "transforms on the device end at 2^" +
                                                 std::to_string(kMaxLogSize) + " elements, 2^" +
                                                 std::to_string(log_size_) + " were asked for");
    const Shape shape(log_size_);
    tile_bits_ = shape.tile_bits;
    outer_bits_ = shape.outer_bits;
    roots_ = make_roots(arena, shape.root_bits(), domain.root(), log_size_, stream);
    inverse_roots_ = make_roots(arena, shape.root_bits(), domain.root_inverse(), log_size_, stream);
    root_powers_ = take_powers<Fr>(arena, log_size_);
    fill_power_table(root_powers_, log_size_, domain.root(), Fr::one(), stream);

    // The limits belong to the kernels, not to this size, so all sizes set the same ones.
    constexpr std::size_t kTileBytes = sizeof(Fr) << kTileBits;
    allow_shared_memory(outer_pass<Fr, true>, kTileBytes);
    allow_shared_memory(outer_pass<Fr, false>, kTileBytes);
    allow_shared_memory(inner_pass<Fr, true, false>, kTileBytes + TileFactors<Fr>::kBytes);
    allow_shared_memory(inner_pass<Fr, false, true>, kTileBytes + TileFactors<Fr>::kBytes);
    allow_shared_memory(inner_pass<Fr, true, true>, kTileBytes + TileFactors<Fr>::kBytes);
}

template <class Fr>
CoefficientScale<Fr> NttPasses<Fr>::take_scale(Arena& arena) const {
    return {take_powers<Fr>(arena, outer_bits_), take_factors<Fr>(arena, tile_bits_)};
}

// Place t of a tile has the part (t reversed) 2^outer_bits of a coefficient's number. Entries are in the order of
// InnerPass::of_place: t rotated right by kTurnBits, so that the threads of the turn, which hold neighbours, read neighbours.
template <class Fr>
void NttPasses<Fr>::set_scale(CoefficientScale<Fr>& scale, const Fr& base, const Fr& constant,
                              const Stream& stream) const {
    fill_power_table(scale.of_tile, outer_bits_, base, constant, stream);
    BitPowers<Fr> powers;
    Fr power = power_of_two_power(base, outer_bits_);
    for (unsigned k = tile_bits_; k-- > 0; power = power.square())
        powers.power[(k + tile_bits_ - std::min(tile_bits_, kTurnBits)) % tile_bits_] = power;
    fill_factors(scale.of_place, tile_bits_, powers, stream);
}

template <class Fr>
void NttPasses<Fr>::outer_down(Fr* values, bool inverse, const Stream& stream) const {
    const OuterPasses passes(outer_bits_);
    for (unsigned pass = passes.count; pass-- > 0;) {
        outer_pass<Fr, true><<<1u << (log_size_ - kTileBits), threads_for(kTileBits), sizeof(Fr) << kTileBits,
                               stream.get()>>>(values, inverse ? inverse_roots_ : roots_,
                                               tile_bits_ + passes.lowest(pass), passes.levels(pass),
                                               kTileBits - passes.levels(pass), false, nullptr);
        check_launch("outer_pass");
    }
}

template <class Fr>
void NttPasses<Fr>::outer_up(Fr* values, Fr* product, const Stream& stream) const {
    const OuterPasses passes(outer_bits_);
    for (unsigned pass = 0; pass < passes.count; ++pass) {
        const bool last = pass + 1 == passes.count;
        outer_pass<Fr, false>
            <<<1u << (log_size_ - kTileBits), threads_for(kTileBits), sizeof(Fr) << kTileBits,
               stream.get()>>>(values, roots_, tile_bits_ + passes.lowest(pass), passes.levels(pass),
                               kTileBits - passes.levels(pass), last, last ? product : nullptr);
        check_launch("outer_pass");
    }
}

template <class Fr>
template <bool kDown, bool kUp>
void NttPasses<Fr>::inner(Fr* values, bool inverse, const PowerTable<Fr>& before,
                          const LazyFactors<Fr>& of_place, const PowerTable<Fr>& after, Fr* product,
                          const Stream& stream) const {
    const bool last = kUp && outer_bits_ == 0;
    const InnerPass<Fr> job{.values = values,
                            .log_size = log_size_,
                            .tile_bits = tile_bits_,
                            .inverse = inverse,
                            .down_roots = inverse ? inverse_roots_ : roots_,
                            .up_roots = roots_,
                            .root_powers = root_powers_,
                            .before_tile = before,
                            .after_tile = after,
                            .of_place = of_place,
                            .canonical = last,
                            .product = last ? product : nullptr,
                            .negative_inverse = negative_modulus_inverse<Fr>()};
    inner_pass<Fr, kDown, kUp><<<1u << outer_bits_, threads_for(tile_bits_),
                                 (sizeof(Fr) << tile_bits_) + TileFactors<Fr>::kBytes, stream.get()>>>(job);
    check_launch("inner_pass");
}

template <class Fr>
void NttPasses<Fr>::down(Fr* values, bool inverse, const CoefficientScale<Fr>& after,
                         const Stream& stream) const {
    outer_down(values, inverse, stream);
    inner<true, false>(values, inverse, after.of_tile, after.of_place, {}, nullptr, stream);
}

template <class Fr>
void NttPasses<Fr>::up(Fr* values, const CoefficientScale<Fr>& before, const Stream& stream) const {
    inner<false, true>(values, false, {}, before.of_place, before.of_tile, nullptr, stream);
    outer_up(values, nullptr, stream);
}

template <class Fr>
void NttPasses<Fr>::down_and_up(Fr* values, const CoefficientScale<Fr>& between, Fr* product,
                                const Stream& stream) const {
    outer_down(values, true, stream);
    inner<true, true>(values, true, {}, between.of_place, between.of_tile, product, stream);
    outer_up(values, product, stream);
}

template class NttPasses<Bls12_381Fr>;
template class NttPasses<Bn254Fr>;

}  // namespace cuzk::gpu
