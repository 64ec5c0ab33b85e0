#include "gpu/witness.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "base/error.hpp"
#include "gpu/check.hpp"
#include "gpu/failure.hpp"
#include "gpu/scan.cuh"
#include "gpu/witness.cuh"

namespace cuzk::gpu {

namespace {

constexpr u32 kThreads = 256;

u32 blocks(std::size_t count) {
    return static_cast<u32>((count + kThreads - 1) / kThreads);
}

// Bits of the string `packed`, in order, to the variables that are not wide.
__global__ void __launch_bounds__(kThreads)
    deposit_bits(const u32* packed, const u32* is_wide, const u32* wide_before, u32 words, u32 variables,
                 u32* bits) {
    const u32 w = blockIdx.x * kThreads + threadIdx.x;
    if (w >= words) return;
    u32 places = ~is_wide[w];
    if (w == words - 1 && variables % 32 != 0) places &= (1u << (variables % 32)) - 1;
    const u32 first = 32 * w - wide_before[w];
    const u32 shift = first % 32;
    u32 next = 0;
    if (places != 0) {
        // The second word is there even where no bit of it is used: the string is padded.
        next = __funnelshift_r(packed[first / 32], packed[first / 32 + 1], shift);
    }
    u32 out = 0;
    for (; places != 0; places &= places - 1, next >>= 1)
        if ((next & 1) != 0) out |= places & (0u - places);
    bits[w] = out;
}

// Sorts values into bits and wide ones. One warp a word.
template <class Fr>
__global__ void __launch_bounds__(kThreads) classify(const Fr* values, u32 count, u32* is_wide, u32* bits) {
    const u32 i = blockIdx.x * kThreads + threadIdx.x;
    bool one = false, wide = false;
    if (i < count) {
        const Fr x = load(values + i);
        one = x.is_one();
        wide = !one && !x.is_zero();
    }
    const u32 wide_word = __ballot_sync(~0u, wide);
    const u32 one_word = __ballot_sync(~0u, one);
    if (threadIdx.x % 32 == 0 && i < count) {
        is_wide[i / 32] = wide_word;
        bits[i / 32] = one_word;
    }
}

struct CountBits {
    const u32* words;
    __device__ __forceinline__ u32 operator()(u32 w) const { return static_cast<u32>(__popc(words[w])); }
};

// Copies the wide values of a piece to their places.
template <class Fr>
__global__ void __launch_bounds__(kThreads)
    gather_wide(const Fr* values, u32 count, const u32* is_wide, const u32* wide_before, Fr* wide) {
    const u32 i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= count) return;
    const u32 word = is_wide[i / 32];
    if (((word >> (i % 32)) & 1) == 0) return;
    const u32 to = wide_before[i / 32] + static_cast<u32>(__popc(word & ((1u << (i % 32)) - 1)));
    store(wide + to, load(values + i));
}

}  // namespace

template <class Fr>
WitnessLayout<Fr>::WitnessLayout(Arena& arena, const InstancedR1cs<Fr>& r1cs, Uploader& uploader,
                                 const Stream& stream)
    : inputs_(r1cs.inputs), variables_(r1cs.inputs + r1cs.aux) {
    const u32 words = (variables_ + 31) / 32;
    is_wide_ = arena.take<u32>(words, "which variables are no bits");
    wide_before_ = arena.take<u32>(words, "which variables are no bits");
    std::vector<u32> is_wide(words), before(words);
    const auto wide_at = [&](u32 v) { return v < inputs_ || !r1cs.is_bit(v - inputs_); };
    for (u32 w = 0; w < words; ++w) {
        u32 word = 0;
        for (u32 v = 32 * w; v < std::min(32 * w + 32, variables_); ++v)
            if (wide_at(v)) word |= u32{1} << (v % 32);
        is_wide[w] = word;
        before[w] = wide_count_;
        wide_count_ += static_cast<u32>(std::popcount(word));
    }
    uploader.copy(is_wide_.data, is_wide.data(), words * sizeof(u32), stream);
    uploader.copy(wide_before_.data, before.data(), words * sizeof(u32), stream);
}

template <class Fr>
std::size_t WitnessLayout<Fr>::bytes(const InstancedR1cs<Fr>& r1cs) {
    return 2 * Arena::rounded((std::size_t{r1cs.inputs} + r1cs.aux + 31) / 32 * sizeof(u32));
}

template <class Fr>
std::size_t WitnessLayout<Fr>::witness_bytes(const InstancedR1cs<Fr>& r1cs) {
    const std::size_t variables = std::size_t{r1cs.inputs} + r1cs.aux;
    const std::size_t bits = r1cs.bit_count();
    return Arena::rounded((variables + 31) / 32 * sizeof(u32)) +
           Arena::rounded((bits / 32 + 3) * sizeof(u32)) + Arena::rounded((variables - bits) * sizeof(Fr));
}

template <class Fr>
DeviceWitness<Fr> WitnessLayout<Fr>::place(Arena& arena, const CompactWitness<Fr>& witness,
                                           Uploader& uploader, const Stream& stream) const {
    const std::size_t wide_count = witness.inputs.size() + witness.nums.size();
    if (witness.inputs.size() != inputs_ || wide_count != wide_count_ ||
        wide_count + witness.bits.size() != variables_)
        throw Error(ErrorKind::kMalformed, "the witness does not have the variables of the key's circuit");
    DeviceWitness<Fr> out;
    out.variables = variables_;
    out.is_wide = {is_wide_.data, is_wide_.size};
    out.wide_before = {wide_before_.data, wide_before_.size};
    const auto wide = arena.take<Fr>(wide_count, "the witness");
    const auto bits = arena.take<u32>(out.words(), "the witness");
    out.wide = {wide.data, wide.size};
    out.bits = {bits.data, bits.size};

    uploader.copy(wide.data, witness.inputs.data(), witness.inputs.size() * sizeof(Fr), stream);
    uploader.copy(wide.data + witness.inputs.size(), witness.nums.data(), witness.nums.size() * sizeof(Fr),
                  stream);
    const Arena::Scope scope(arena);  // whoever takes this memory next is queued behind the kernel
    const auto packed = arena.take<u32>(witness.bits.size() / 32 + 3, "the witness");
    const auto words = witness.bits.words();
    uploader.copy(packed.data, words.data(), words.size_bytes(), stream);
    deposit_bits<<<blocks(out.words()), kThreads, 0, stream.get()>>>(
        packed.data, is_wide_.data, wide_before_.data, out.words(), variables_, bits.data);
    check_launch("deposit_bits");
    return out;
}

namespace {

constexpr std::size_t kValuesPiece = std::size_t{1} << 21;  // 64 MiB

}  // namespace

std::size_t placed_values_bytes(std::size_t variables, std::size_t most_wide) {
    const std::size_t words = (variables + 31) / 32;
    return 3 * Arena::rounded(words * sizeof(u32)) + Arena::rounded(std::min(variables, kValuesPiece) * 32) +
           scan_bytes(words) + Arena::rounded(most_wide * 32);
}

template <class Fr>
DeviceWitness<Fr> place_values(Arena& arena, std::span<const Fr> values, Uploader& uploader,
                               const Stream& stream) {
    DeviceWitness<Fr> out;
    out.variables = static_cast<u32>(values.size());
    const u32 words = out.words();
    const auto is_wide = arena.take<u32>(words, "the witness");
    const auto before = arena.take<u32>(words, "the witness");
    const auto bits = arena.take<u32>(words, "the witness");
    // What works on pieces lies below the wide values, whose number is known last: of their memory the rest is given back.
    const auto piece = arena.take<Fr>(std::min(values.size(), kValuesPiece), "a piece of the witness");
    Arena scratch(arena, scan_bytes(words));
    const std::size_t room = (arena.size() - arena.used()) / sizeof(Fr);
    const auto wide = arena.take<Fr>(std::min(values.size(), room), "the witness");
    u32 found = 0;
    for (std::size_t first = 0; first < values.size(); first += kValuesPiece) {
        const auto count = static_cast<u32>(std::min(kValuesPiece, values.size() - first));
        const u32 piece_words = (count + 31) / 32;
        const std::size_t word = first / 32;
        uploader.copy(piece.data, values.data() + first, std::size_t{count} * sizeof(Fr), stream);
        classify<<<blocks(count), kThreads, 0, stream.get()>>>(piece.data, count, is_wide.data + word,
                                                               bits.data + word);
        check_launch("classify");
        const u32* piece_wide = is_wide.data + word;
        const u32 here =
            exclusive_sums(scratch, piece_words, CountBits{piece_wide}, before.data + word, found, stream);
        if (here > wide.size)
            throw OutOfDeviceMemory("the witness has " + std::to_string(here) +
                                    " values or more that are neither 0 nor 1, there is room for " +
                                    std::to_string(wide.size));
        gather_wide<<<blocks(count), kThreads, 0, stream.get()>>>(piece.data, count, piece_wide,
                                                                  before.data + word, wide.data);
        check_launch("gather_wide");
        found = here;
    }
    const auto kept = arena.keep_first(wide, found);
    out.is_wide = {is_wide.data, words};
    out.wide_before = {before.data, words};
    out.bits = {bits.data, words};
    out.wide = {kept.data, kept.size};
    return out;
}

CUZK_GPU_WITNESS(, Bls12_381Fr)
CUZK_GPU_WITNESS(, Bn254Fr)

}  // namespace cuzk::gpu
