// The four prime fields. A field is its modulus and a generator of its multiplicative group; every other constant
// follows at compile time in field/constants.hpp.
#pragma once

#include "field/bigint.hpp"

namespace cuzk {

// Scalar field of BLS12-381. 7 generates the multiplicative group (the convention of the Zcash and Filecoin files).
struct Bls12_381FrParams {
    static constexpr const char* kName = "BLS12-381 Fr";
    static constexpr std::size_t kLimbs = 4;
    static constexpr BigInt<4> kModulus =
        BigInt<4>::from_hex("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001");
    static constexpr u64 kGenerator = 7;
};

// Base field of BLS12-381.
struct Bls12_381FpParams {
    static constexpr const char* kName = "BLS12-381 Fp";
    static constexpr std::size_t kLimbs = 6;
    static constexpr BigInt<6> kModulus = BigInt<6>::from_hex(
        "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab");
    static constexpr u64 kGenerator = 2;
};

// Scalar field of BN254 (alt_bn128).
struct Bn254FrParams {
    static constexpr const char* kName = "BN254 Fr";
    static constexpr std::size_t kLimbs = 4;
    static constexpr BigInt<4> kModulus =
        BigInt<4>::from_hex("30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001");
    static constexpr u64 kGenerator = 5;
};

// Base field of BN254 (alt_bn128).
struct Bn254FpParams {
    static constexpr const char* kName = "BN254 Fp";
    static constexpr std::size_t kLimbs = 4;
    static constexpr BigInt<4> kModulus =
        BigInt<4>::from_hex("30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47");
    static constexpr u64 kGenerator = 3;
};

}  // namespace cuzk
