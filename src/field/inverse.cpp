#include "field/fp.hpp"

namespace cuzk {

// Declared in field/ifma_lanes.hpp, which only vector files may include.
template <class P>
void invert_montgomery_words(u64* words);

template <class P>
void invert_montgomery_words(u64* words) {
    BigInt<P::kLimbs> x;
    for (std::size_t i = 0; i < P::kLimbs; ++i) x.limb[i] = words[i];
    x = mont::inverse<P>(x);
    for (std::size_t i = 0; i < P::kLimbs; ++i) words[i] = x.limb[i];
}

template void invert_montgomery_words<Bls12_381FrParams>(u64*);
template void invert_montgomery_words<Bls12_381FpParams>(u64*);
template void invert_montgomery_words<Bn254FrParams>(u64*);
template void invert_montgomery_words<Bn254FpParams>(u64*);

}  // namespace cuzk
