// How large a key is.
#pragma once

#include "groth16/types.hpp"

namespace cuzk {

// Bytes of the points of all queries, as memory has them.
template <class C>
u64 point_bytes(const ProvingKey<C>& key) {
    return sizeof(Affine<typename C::G1>) * (key.h.size() + key.l.size() + key.a.size() + key.b_g1.size()) +
           sizeof(Affine<typename C::G2>) * key.b_g2.size();
}

}  // namespace cuzk
