#include "gpu/quotient.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "gpu/quotient_kernels.cuh"
#include "groth16/key_domain.hpp"

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
void fill_power_table(const DeviceSpan<Fr>& out, const Fr& base, const Fr& constant, const Stream& stream) {
    fill_powers<<<blocks_for(out.size), kThreads, 0, stream.get()>>>(out.data, static_cast<u32>(out.size),
                                                                     base, constant);
    check_launch("fill_powers");
}

// Element i is the product of powers[k] over the bits k of i.
template <class Fr>
LazyFactors<Fr> make_factors(Arena& arena, unsigned bits, const BitPowers<Fr>& powers, const Stream& stream) {
    static constexpr auto kNegativeInverse = negative_modulus_inverse<Fr>();
    const std::size_t size = std::size_t{1} << bits;
    const LazyFactors<Fr> out{arena.take<uint4>(4 * size, "transform factors").data, static_cast<u32>(size)};
    fill_lazy_factors<Fr>
        <<<blocks_for(size), kThreads, 0, stream.get()>>>(out, bits, powers, kNegativeInverse);
    check_launch("fill_lazy_factors");
    return out;
}

// Roots in bit-reversed order: index bit k stands for the root of order 2^(k+2), whatever the transform's length.
template <class Fr>
LazyFactors<Fr> make_roots(Arena& arena, unsigned bits, const Fr& root, unsigned log_order,
                           const Stream& stream) {
    BitPowers<Fr> powers;
    Fr power = root;
    for (unsigned order = log_order; order >= 2; --order, power = power.square())
        if (order - 2 < bits) powers.power[order - 2] = power;
    return make_factors(arena, bits, powers, stream);
}

// base^(t reversed) for the places t of a tile, in the order of InnerPass::of_place: t rotated right by kTurnBits, so that the
// threads of the turn, which hold neighbours, read neighbours.
template <class Fr>
LazyFactors<Fr> make_reversed_powers(Arena& arena, unsigned bits, const Fr& base, const Stream& stream) {
    BitPowers<Fr> powers;
    Fr power = base;
    for (unsigned k = bits; k-- > 0; power = power.square())
        powers.power[(k + bits - std::min(bits, kTurnBits)) % bits] = power;
    return make_factors(arena, bits, powers, stream);
}

template <class Fr>
Fr power_of_two_power(Fr base, unsigned log_exponent) {
    for (unsigned i = 0; i < log_exponent; ++i) base = base.square();
    return base;
}

// `Powers` of the class as kernels take them.
template <class Powers>
auto scale(const Powers& powers) {
    using Fr = std::remove_cv_t<decltype(powers.constant)>;
    u32 bits = 0;
    while ((std::size_t{1} << bits) < powers.low.size) ++bits;
    return Scale<Fr>{powers.low.data, powers.high.data, bits, powers.constant};
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
std::size_t DeviceQuotient<Fr>::table_bytes(unsigned log_domain) {
    const Shape shape(log_domain);
    const auto padded = [](std::size_t bytes) { return (bytes + 511) / 512 * 512; };
    const auto pair = [&](unsigned bits) {
        return padded(sizeof(Fr) << low_bits(bits)) + padded(sizeof(Fr) << (bits - low_bits(bits)));
    };
    return 2 * padded(LazyFactors<Fr>::kBytes << shape.root_bits()) +
           2 * padded(LazyFactors<Fr>::kBytes << shape.tile_bits) + pair(log_domain) +
           2 * pair(shape.outer_bits);
}

template <class Fr>
DeviceQuotient<Fr>::DeviceQuotient(Arena& arena, KeyFamily family, unsigned log_domain, const Stream& stream)
    : family_(family), log_domain_(log_domain) {
    if (log_domain > kMaxLogDomain)
        throw Error(ErrorKind::kUnsupported, "proofs on the device end at domains of 2^" +
                                                 std::to_string(kMaxLogDomain) + " points, 2^" +
                                                 std::to_string(log_domain) + " were asked for");
    const Shape shape(log_domain);
    tile_bits_ = shape.tile_bits;
    outer_bits_ = shape.outer_bits;

    const Domain<Fr> domain = key_domain<Fr>(family, log_domain);
    const Fr shift = key_coset_shift<Fr>(family, log_domain);
    roots_ = make_roots(arena, shape.root_bits(), domain.root(), log_domain, stream);
    inverse_roots_ = make_roots(arena, shape.root_bits(), domain.root_inverse(), log_domain, stream);

    const auto make_powers = [&](unsigned bits, const Fr& base, const Fr& constant) {
        Powers powers;
        powers.low = arena.take<Fr>(std::size_t{1} << low_bits(bits), "factors of tiles");
        powers.high = arena.take<Fr>(std::size_t{1} << (bits - low_bits(bits)), "factors of tiles");
        fill_power_table(powers.low, base, Fr::one(), stream);
        fill_power_table(powers.high, power_of_two_power(base, low_bits(bits)), constant, stream);
        return powers;
    };
    root_powers_ = make_powers(log_domain, domain.root(), Fr::one());
    shift_in_tile_ = make_reversed_powers(arena, tile_bits_, power_of_two_power(shift, outer_bits_), stream);
    shift_of_tile_ = make_powers(outer_bits_, shift, domain.size_inverse());
    if (family == KeyFamily::kBellman) {
        // The two interpolations give both parts of h over Z, out of Montgomery form: 1 read as a Montgomery number is 1 / R.
        const Fr z_inverse = (power_of_two_power(shift, log_domain) - Fr::one()).inverse();
        const Fr scale = z_inverse * domain.size_inverse() * Fr::from_montgomery(Int::from_u64(1));
        const Fr unshift = shift.inverse();
        unshift_in_tile_ =
            make_reversed_powers(arena, tile_bits_, power_of_two_power(unshift, outer_bits_), stream);
        unshift_of_tile_ = make_powers(outer_bits_, unshift, scale);
        scale_of_c_.constant = scale;
    }

    const std::size_t tile_bytes = sizeof(Fr) << tile_bits_;
    allow_shared_memory(outer_pass<Fr, true>, tile_bytes);
    allow_shared_memory(outer_pass<Fr, false>, tile_bytes);
    allow_shared_memory(inner_pass<Fr, true>, tile_bytes + TileFactors<Fr>::kBytes);
    allow_shared_memory(inner_pass<Fr, false>, tile_bytes + TileFactors<Fr>::kBytes);
}

template <class Fr>
void DeviceQuotient<Fr>::require_size(std::size_t size) const {
    if (size != domain())
        throw Error(ErrorKind::kInternal, "a quotient over " + std::to_string(domain()) +
                                              " points got a vector of " + std::to_string(size));
}

// The transforms over the tiles: downwards in an inverse transform, upwards in a forward one.
template <class Fr>
void DeviceQuotient<Fr>::inverse_levels(Fr* values, const Stream& stream) const {
    const OuterPasses passes(outer_bits_);
    for (unsigned pass = passes.count; pass-- > 0;) {
        outer_pass<Fr, true>
            <<<1u << (log_domain_ - kTileBits), threads_for(kTileBits), sizeof(Fr) << kTileBits,
               stream.get()>>>(values, inverse_roots_, tile_bits_ + passes.lowest(pass), passes.levels(pass),
                               kTileBits - passes.levels(pass), false, nullptr);
        check_launch("outer_pass");
    }
}

template <class Fr>
void DeviceQuotient<Fr>::forward_levels(Fr* values, Fr* product, const Stream& stream) const {
    const OuterPasses passes(outer_bits_);
    for (unsigned pass = 0; pass < passes.count; ++pass) {
        const bool last = pass + 1 == passes.count;
        outer_pass<Fr, false>
            <<<1u << (log_domain_ - kTileBits), threads_for(kTileBits), sizeof(Fr) << kTileBits,
               stream.get()>>>(values, roots_, tile_bits_ + passes.lowest(pass), passes.levels(pass),
                               kTileBits - passes.levels(pass), last, last ? product : nullptr);
        check_launch("outer_pass");
    }
}

// Into `product` if there is one, else in place.
template <class Fr>
void DeviceQuotient<Fr>::extend(Fr* values, Fr* product, const Stream& stream) const {
    inverse_levels(values, stream);
    const bool last = outer_bits_ == 0;
    const InnerPass<Fr> job{.values = values,
                            .log_size = log_domain_,
                            .tile_bits = tile_bits_,
                            .inverse_roots = inverse_roots_,
                            .roots = roots_,
                            .root_powers = scale(root_powers_),
                            .before_tile = scale(Powers{{}, {}, Fr::one()}),
                            .after_tile = scale(shift_of_tile_),
                            .of_place = shift_in_tile_,
                            .canonical = last,
                            .product = last ? product : nullptr,
                            .negative_inverse = negative_modulus_inverse<Fr>()};
    inner_pass<Fr, true><<<1u << outer_bits_, threads_for(tile_bits_),
                           (sizeof(Fr) << tile_bits_) + TileFactors<Fr>::kBytes, stream.get()>>>(job);
    check_launch("inner_pass");
    forward_levels(values, product, stream);
}

template <class Fr>
void DeviceQuotient<Fr>::extend(DeviceSpan<Fr> values, const Stream& stream) const {
    require_size(values.size);
    extend(values.data, nullptr, stream);
}

template <class Fr>
void DeviceQuotient<Fr>::extend_into(DeviceSpan<Fr> product, DeviceSpan<Fr> values,
                                     const Stream& stream) const {
    require_size(product.size);
    require_size(values.size);
    extend(values.data, product.data, stream);
}

template <class Fr>
void DeviceQuotient<Fr>::multiply(DeviceSpan<Fr> a, DeviceSpan<const Fr> b, const Stream& stream) const {
    require_size(a.size);
    require_size(b.size);
    multiply_values<<<blocks_for(a.size), kThreads, 0, stream.get()>>>(a.data, b.data,
                                                                       static_cast<u32>(a.size));
    check_launch("multiply_values");
}

// Leaves the coefficients, times the given powers, below 2p and in bit-reversed order.
template <class Fr>
void DeviceQuotient<Fr>::to_coefficients(Fr* values, const Powers& of_tile, const LazyFactors<Fr>& of_place,
                                         const Stream& stream) const {
    inverse_levels(values, stream);
    const InnerPass<Fr> job{.values = values,
                            .log_size = log_domain_,
                            .tile_bits = tile_bits_,
                            .inverse_roots = inverse_roots_,
                            .roots = {},
                            .root_powers = scale(root_powers_),
                            .before_tile = scale(of_tile),
                            .after_tile = {},
                            .of_place = of_place,
                            .canonical = false,
                            .product = nullptr,
                            .negative_inverse = negative_modulus_inverse<Fr>()};
    inner_pass<Fr, false><<<1u << outer_bits_, threads_for(tile_bits_),
                            (sizeof(Fr) << tile_bits_) + TileFactors<Fr>::kBytes, stream.get()>>>(job);
    check_launch("inner_pass");
}

template <class Fr>
DeviceSpan<const typename Fr::Int> DeviceQuotient<Fr>::finish(DeviceSpan<Fr> product, DeviceSpan<Fr> c,
                                                              const Stream& stream) const {
    require_size(product.size);
    require_size(c.size);
    if (family_ == KeyFamily::kSnarkjs) {
        // The H query divides by Z itself: its points are Lagrange values of the coset within the double domain.
        extend(c, stream);
        subtract_to_integers<<<blocks_for(domain()), kThreads, 0, stream.get()>>>(product.data, c.data,
                                                                                  static_cast<u32>(domain()));
        check_launch("subtract_to_integers");
    } else {
        // Z is constant on the coset and interpolation is linear, so C is subtracted as coefficients.
        to_coefficients(product.data, unshift_of_tile_, unshift_in_tile_, stream);
        to_coefficients(c.data, scale_of_c_, {}, stream);
        queue_reversal<Fr>(DifferenceReversal<Fr>{product.data, c.data}, log_domain_, stream);
    }
    return {reinterpret_cast<const Int*>(product.data), size()};
}

template class DeviceQuotient<Bls12_381Fr>;
template class DeviceQuotient<Bn254Fr>;

}  // namespace cuzk::gpu
