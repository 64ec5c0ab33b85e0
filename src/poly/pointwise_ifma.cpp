#include "poly/pointwise_vector.hpp"

#include "field/params.hpp"
#include "poly/shoup_ifma.hpp"

namespace cuzk::ifma {
namespace {

constexpr std::size_t kVectorWords = 32;  // 8 elements

// a b R^2 / R' is raw but for a missing factor 2^4, which a takes along: 16 p times p is within the range of
// products.
template <class P>
CUZK_LANES_INLINE Lanes<P> mul_raw(const Lanes<P>& a, const Lanes<P>& b) {
    static_assert(Limbs52<P>::kExtra == 4);
    Lanes<P> shifted;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < 5; ++i) shifted.l[i] = _mm512_slli_epi64(a.l[i], 4);
    return mul_loose(normalize(shifted), b);
}

}  // namespace
}  // namespace cuzk::ifma

namespace cuzk::pointwise {

using namespace ifma;

template <class P>
void multiply_vectors(const u64* a, const u64* b, u64* out, std::size_t vectors) {
    for (std::size_t i = 0; i < vectors * kVectorWords; i += kVectorWords)
        store_dense(out + i, mul_raw(Lanes<P>::load_dense(a + i), Lanes<P>::load_dense(b + i)));
}

template <class P>
void multiply_subtract_vectors(const u64* a, const u64* b, const u64* c, u64* out, std::size_t vectors) {
    for (std::size_t i = 0; i < vectors * kVectorWords; i += kVectorWords) {
        const Lanes<P> product = mul_raw(Lanes<P>::load_dense(a + i), Lanes<P>::load_dense(b + i));
        store_dense(out + i, raise_once<1>(sub_loose(product, Lanes<P>::load_dense(c + i))));
    }
}

template <class P>
void subtract_scale_vectors(const u64* a, const u64* b, const u64* factor, u64* out, std::size_t vectors) {
    for (std::size_t i = 0; i < vectors * kVectorWords; i += kVectorWords) {
        const Lanes<P> difference = sub_lazy<1>(Lanes<P>::load_dense(a + i), Lanes<P>::load_dense(b + i));
        store_dense(out + i, reduce_once<1>(shoup_mul(difference, SharedFactor{factor})));
    }
}

#define CUZK_POINTWISE_VECTORS(P)                                                                      \
    template void multiply_vectors<P>(const u64*, const u64*, u64*, std::size_t);                      \
    template void multiply_subtract_vectors<P>(const u64*, const u64*, const u64*, u64*, std::size_t); \
    template void subtract_scale_vectors<P>(const u64*, const u64*, const u64*, u64*, std::size_t);
CUZK_POINTWISE_VECTORS(Bls12_381FrParams)
CUZK_POINTWISE_VECTORS(Bn254FrParams)

}  // namespace cuzk::pointwise
