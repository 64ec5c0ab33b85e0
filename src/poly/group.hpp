// The unit of work of a transform: 8 equally long columns of a matrix, transformed side by side in scratch
// memory.
#pragma once

#include "poly/twiddles.hpp"

namespace cuzk::ntt {

// Columns side by side: the lanes of the vector path, four cache lines of the scalar one.
inline constexpr std::size_t kLanes = 8;

enum class Twist : u8 { kNone, kBefore, kAfter };

// Steps, in order: load; times before[n] and the twist before; transform by `first`; if `second`: times
// between[n], transform by `second`; times after[k] and the twist after; store. Lists of factors hold one
// factor a row for all lanes, and may be absent; the twist multiplies row n of lane l by twist_start[l]
// twist_ratio[l]^n.
template <class Fr>
struct Group {
    Fr* data;                 // row 0 of lane 0
    std::size_t row_stride;   // elements
    std::size_t lane_stride;  // elements: 1 or at least the number of rows
    unsigned log_length;      // rows: 2^log_length, 3 to kMaxLogLength
    unsigned log_fold =
        0;              // output row k is stored at the row whose index is k rotated left by this many bits
    bool last = false;  // store canonical residues; else the path may leave any that its own loads take

    Factors<Fr> first;
    Factors<Fr> second;
    Factors<Fr> before;
    Factors<Fr> between;
    Factors<Fr> after;
    Twist twist = Twist::kNone;
    Fr twist_start[kLanes];
    Fr twist_ratio[kLanes];
};

// bits: 0 to 32. Always inlined, like all that the vector path shares with ordinary files: no copy compiled
// for AVX-512 may be linked in.
[[gnu::always_inline]] constexpr std::size_t reverse_bits(std::size_t x, unsigned bits) {
    u32 r = __builtin_bswap32(static_cast<u32>(x));
    r = ((r >> 4) & 0x0f0f0f0f) | ((r & 0x0f0f0f0f) << 4);
    r = ((r >> 2) & 0x33333333) | ((r & 0x33333333) << 2);
    r = ((r >> 1) & 0x55555555) | ((r & 0x55555555) << 1);
    return static_cast<std::size_t>(u64{r} >> (32 - bits));
}

[[gnu::always_inline]] constexpr std::size_t rotate_left(std::size_t x, unsigned bits, unsigned by) {
    return by == 0 ? x : ((x << by) | (x >> (bits - by))) & ((std::size_t{1} << bits) - 1);
}

// Words of scratch (aligned to 64 bytes) that a group of this length needs.
std::size_t scalar_scratch_words(unsigned log_length);
std::size_t vector_scratch_words(unsigned log_length);

template <class Fr>
void run_group_scalar(const Group<Fr>& group, u64* scratch);

// Only where the processor has AVX-512 IFMA, and with prepared factors.
template <class Fr>
void run_group_vector(const Group<Fr>& group, u64* scratch);

extern template void run_group_scalar(const Group<Bls12_381Fr>&, u64*);
extern template void run_group_scalar(const Group<Bn254Fr>&, u64*);
extern template void run_group_vector(const Group<Bls12_381Fr>&, u64*);
extern template void run_group_vector(const Group<Bn254Fr>&, u64*);

}  // namespace cuzk::ntt
