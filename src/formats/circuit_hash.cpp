#include "formats/circuit_hash.hpp"

#include "curve/encoding.hpp"
#include "formats/digest.hpp"
#include "groth16/basis_change.hpp"

namespace cuzk {

namespace {

// Big-endian x, y; snarkjs writes infinity as zeros, without the flag of the Zcash encoding.
template <class G>
void hash_point(Hasher& hasher, const Affine<G>& point) {
    std::array<u8, kUncompressedBytes<G>> bytes{};
    if (!point.is_infinity()) encode_uncompressed<G>(point, bytes);
    hasher.update(bytes);
}

template <class G>
void hash_points(Hasher& hasher, AffineView<G> points) {
    hasher.update_u32_be(static_cast<u32>(points.size()));
    for (std::size_t i = 0; i < points.size(); ++i) hash_point<G>(hasher, points[i]);
}

}  // namespace

template <class C>
std::array<u8, 64> circuit_hash(const ProvingKey<C>& key, Progress* progress) {
    using G1 = typename C::G1;
    using G2 = typename C::G2;
    const auto powers = lagrange_to_powers(key.h, progress);
    Hasher hasher(Hasher::Algorithm::kBlake2b512);
    hash_point<G1>(hasher, key.vk.alpha_g1);
    hash_point<G1>(hasher, key.vk.beta_g1);
    hash_point<G2>(hasher, key.vk.beta_g2);
    hash_point<G2>(hasher, key.vk.gamma_g2);
    hash_point<G1>(hasher, key.vk.delta_g1);
    hash_point<G2>(hasher, key.vk.delta_g2);
    hash_points<G1>(hasher, std::span<const Affine<G1>>(key.vk.ic));
    hash_points<G1>(hasher, std::span<const Affine<G1>>(powers));
    hash_points<G1>(hasher, key.l);
    hash_points<G1>(hasher, key.a);
    hash_points<G1>(hasher, key.b_g1);
    hash_points<G2>(hasher, key.b_g2);
    std::array<u8, 64> out{};
    hasher.finish(out);
    return out;
}

template std::array<u8, 64> circuit_hash(const ProvingKey<Bn254>&, Progress*);
template std::array<u8, 64> circuit_hash(const ProvingKey<Bls12_381>&, Progress*);

}  // namespace cuzk
