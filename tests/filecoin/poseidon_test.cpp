#include <gtest/gtest.h>

#include "filecoin/poseidon/hash.hpp"

namespace cuzk::filecoin {
namespace {

Fr hex(const char* digits) {
    return Fr::from_int(Fr::Int::from_hex(digits));
}

std::vector<Fr> counting(std::size_t n) {
    std::vector<Fr> v;
    for (std::size_t i = 0; i < n; ++i) v.push_back(Fr::from_u64(i));
    return v;
}

// Published by the network's Poseidon library: digests of (0, 1, ..., arity - 1).
TEST(Poseidon, KnownDigests) {
    const std::pair<std::size_t, const char*> cases[] = {
        {2, "396508d75e76a56b739e0fd902efe161a6fba9339d05a69d2e203c369a02e7ff"},
        {4, "58a54b10a9e5848a00db3c6579229399fb6b4605bf1327ec019814ff6662075d"},
        {8, "2394611da3a5de5512010042116770774b682e9d9cc4aed92a9934f56d38a5e6"},
        {11, "0c0fc1b2e5227f286ca537e232ebe87a09f3dcd8ccb08fc1cee3bbc32b693163"}};
    for (const auto& [arity, digest] : cases) EXPECT_EQ(poseidon(counting(arity)), hex(digest)) << arity;
    const Fr pair[] = {Fr::from_u64(1), Fr::from_u64(2)};
    EXPECT_EQ(poseidon(pair, PoseidonDomain::kGenRandomness),
              hex("702c879bafdb05ab3018f4fbc1d4c74854af845cdbb6bb53e40d5f9cb5e92f3c"));
}

TEST(Poseidon, OptimisedFormEqualsTextbookPermutation) {
    SeededRandom random(7);
    for (const std::size_t arity : {2, 4, 8, 11})
        for (int round = 0; round < 8; ++round) {
            std::vector<Fr> inputs(arity);
            for (Fr& x : inputs) x = Fr::random(random);
            if (round == 0) inputs.assign(arity, Fr::zero());
            if (round == 1) inputs.assign(arity, -Fr::one());
            for (const auto domain : {PoseidonDomain::kMerkle, PoseidonDomain::kGenRandomness})
                EXPECT_EQ(poseidon(inputs, domain), poseidon_plain(inputs, domain));
        }
}

// Check values of the derived constants, arities 2 and 8.
TEST(Poseidon, DerivedConstants) {
    const PoseidonConstants& two = poseidon_constants(2);
    EXPECT_EQ(two.compressed[3], hex("0bfc421d38531805382624c9d2d2d02b1f2f5590316c401b2f5f56ca2f12a0d1"));
    EXPECT_EQ(two.compressed[15], hex("15ea0de59c6ae7c8b21fd309ef84aba77c2d8e8139c9c08f5cca2138d161fdfd"));
    EXPECT_EQ(two.pre_sparse.at(0, 0),
              hex("4d491a377113a8daccd13ab0066be558e27e6d5755543d54aaaaaaaa00000001"));
    EXPECT_EQ(two.sparse[54].w[1], Fr::from_u64(3));
    const PoseidonConstants& eight = poseidon_constants(8);
    EXPECT_EQ(eight.round_keys[0], hex("6ce90d12c4045fe08c3caddb776dd84ac52b4ae7e48cd49443984154f2f4c2f9"));
    EXPECT_EQ(eight.compressed.back(),
              hex("1ef936f03c337433c2e5f3570555397ed790517b32bebaa823ab1c9d7f374cb3"));
    EXPECT_EQ(eight.sparse[0].v[0], hex("50a53720d3629e00e1de3338e264d11c6da56b4cda00fcf7804903ca1e16d1ea"));
}

}  // namespace
}  // namespace cuzk::filecoin
