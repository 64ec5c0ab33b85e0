// The passes that transforms in device memory are made of; gpu/ntt.hpp and gpu/quotient.hpp put them together.
//
// Method: a transform of 2^n elements is a transform of length 2^(n-11) over the tiles of 2^11 neighbours, side by side, a
// factor w^(row column) for each element, and transforms within the tiles (Bailey, "FFTs in external or hierarchical memory",
// 1990). Downwards, distances shrink and natural order becomes bit-reversed; upwards, they grow and it becomes natural again.
// Roots have bit-reversed order, so that one short table serves all levels (Harvey, "Faster arithmetic for number-theoretic
// transforms", 2014), and are multiplied by Shoup's method on numbers below 2p, and so are the factors between: each is a
// product of two numbers that a block makes for its tile, so that no table has more than 2^17 entries.
#pragma once

#include "gpu/arena.hpp"
#include "gpu/lazy_factor.hpp"
#include "poly/domain.hpp"

namespace cuzk::gpu {

// Element i is constant * base^i, as low[i mod 2^low_bits] * high[i / 2^low_bits]; `constant` alone where there are no tables.
template <class F>
struct PowerTable {
    F* low = nullptr;
    F* high = nullptr;
    u32 low_bits = 0;
    F constant = F::one();
};

// Multiplies coefficient k by constant * base^k, in two steps: by the part of k that a tile has in common, and by that which its
// places differ in (none: 1).
template <class F>
struct CoefficientScale {
    PowerTable<F> of_tile;
    LazyFactors<F> of_place;

    static CoefficientScale by(const F& constant) { return {{nullptr, nullptr, 0, constant}, {}}; }
};

// All calls queue work on vectors of size() Montgomery elements below 2p, and leave such; results are below p where that is said.
// Immutable once made.
template <class Fr>
class NttPasses {
public:
    static constexpr unsigned kMaxLogSize = 28;

    // Fills the tables on `stream`; they lie in the arena. Error(kUnsupported) above kMaxLogSize.
    NttPasses(Arena& arena, const Domain<Fr>& domain, const Stream& stream);
    static std::size_t table_bytes(unsigned log_size);

    unsigned log_size() const { return log_size_; }

    // Memory for a scale with a base, and its values.
    CoefficientScale<Fr> take_scale(Arena& arena) const;
    static std::size_t scale_bytes(unsigned log_size);
    void set_scale(CoefficientScale<Fr>& scale, const Fr& base, const Fr& constant,
                   const Stream& stream) const;

    // A transform (inverse: without the division by the size) from natural to bit-reversed order, then the scale.
    void down(Fr* values, bool inverse, const CoefficientScale<Fr>& after, const Stream& stream) const;
    // The scale, then a forward transform from bit-reversed to natural order. Below p.
    void up(Fr* values, const CoefficientScale<Fr>& before, const Stream& stream) const;
    // An inverse transform (undivided), the scale, a forward transform; natural order at both ends. Below p; where there is a
    // product, it is multiplied by the result instead, element by element, and `values` is scratch.
    void down_and_up(Fr* values, const CoefficientScale<Fr>& between, Fr* product,
                     const Stream& stream) const;

private:
    void outer_down(Fr* values, bool inverse, const Stream& stream) const;
    void outer_up(Fr* values, Fr* product, const Stream& stream) const;
    template <bool kDown, bool kUp>
    void inner(Fr* values, bool inverse, const PowerTable<Fr>& before, const LazyFactors<Fr>& of_place,
               const PowerTable<Fr>& after, Fr* product, const Stream& stream) const;

    unsigned log_size_;
    unsigned tile_bits_;                     // of neighbours
    unsigned outer_bits_;                    // log_size_ - tile_bits_
    LazyFactors<Fr> roots_, inverse_roots_;  // in bit-reversed order
    PowerTable<Fr> root_powers_;
};

extern template class NttPasses<Bls12_381Fr>;
extern template class NttPasses<Bn254Fr>;

}  // namespace cuzk::gpu
