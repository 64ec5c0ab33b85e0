// Which points of a query a witness adds up, and with what scalars.
#pragma once

#include <span>
#include <vector>

#include "gpu/witness.hpp"

namespace cuzk::gpu {

// The variables that a query has points for, by points' order. Two forms: one point a variable from `first_variable` on, or
// (`words` not empty) points of listed variables only.
struct QueryLayout {
    u32 first_variable = 0;       // earlier ones have no point
    DeviceSpan<const u32> words;  // bitmap over all variables, 32 a word; empty: all from first_variable on
    DeviceSpan<const u32>
        before;  // a word: points of variables in words before it; empty: point i is variable
                 // first_variable + i all the same, and those that `words` leaves out are infinity
};

// Uploads a bitmap over `variables` variables (bit v of byte v / 8); with `packed` as the query's points are of listed
// variables only.
QueryLayout place_layout(Arena& arena, std::span<const u8> bitmap, std::size_t variables, bool packed,
                         Uploader& uploader, const Stream& stream);
std::size_t layout_bytes(std::size_t variables, bool packed);

// Points to add as they are, and points with scalars. Both in increasing order.
template <class Fr>
struct Selection {
    DeviceSpan<const u32> ones;
    DeviceSpan<const u32> wide;                  // points
    DeviceSpan<const typename Fr::Int> scalars;  // canonical, as many
};

// Takes the lists from the arena. Waits for the stream.
template <class Fr>
Selection<Fr> select(Arena& arena, const DeviceWitness<Fr>& witness, const QueryLayout& query,
                     const Stream& stream);
// The most that it takes.
std::size_t selection_bytes(std::size_t variables, std::size_t bits);

// Where the parts of an increasing list begin: the positions of the first entries that are at least as large as each of `cuts`. Waits for
// the stream.
std::vector<u32> piece_bounds(Arena& arena, DeviceSpan<const u32> list, std::span<const u32> cuts,
                              const Stream& stream);

#define CUZK_GPU_SELECT(linkage, Fr)                                                            \
    linkage template Selection<Fr> select(Arena&, const DeviceWitness<Fr>&, const QueryLayout&, \
                                          const Stream&);
CUZK_GPU_SELECT(extern, Bls12_381Fr)
CUZK_GPU_SELECT(extern, Bn254Fr)

}  // namespace cuzk::gpu
