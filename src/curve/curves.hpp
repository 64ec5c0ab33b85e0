// The two supported pairing-friendly curves: their groups' equations and generators, as type parameters.
#pragma once

#include "field/tower.hpp"

namespace cuzk {

// A group parameter set names Field (coordinates), Scalar (exponents), the curve y^2 = x^3 + b and a generator.
struct Bls12_381G1 {
    using Field = Bls12_381Fp;
    using Scalar = Bls12_381Fr;
    static constexpr const char* kName = "BLS12-381 G1";
    CUZK_HD static constexpr Field b() { return Field::from_u64(4); }
    static constexpr Field generator_x() {
        return Field::from_int(
            Field::Int::from_hex("17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac58"
                                 "6c55e83ff97a1aeffb3af00adb22c6bb"));
    }
    static constexpr Field generator_y() {
        return Field::from_int(
            Field::Int::from_hex("08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3ed"
                                 "d03cc744a2888ae40caa232946c5e7e1"));
    }
};

struct Bls12_381G2 {
    using Field = Fp2<Bls12_381Fp>;
    using Scalar = Bls12_381Fr;
    static constexpr const char* kName = "BLS12-381 G2";
    CUZK_HD static constexpr Field b() { return {Field::Base::from_u64(4), Field::Base::from_u64(4)}; }
    static constexpr Field generator_x() {
        using F = Field::Base;
        return {
            F::from_int(F::Int::from_hex("024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d177"
                                         "0bac0326a805bbefd48056c8c121bdb8")),
            F::from_int(F::Int::from_hex("13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049"
                                         "334cf11213945d57e5ac7d055d042b7e"))};
    }
    static constexpr Field generator_y() {
        using F = Field::Base;
        return {
            F::from_int(F::Int::from_hex("0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c"
                                         "923ac9cc3baca289e193548608b82801")),
            F::from_int(F::Int::from_hex("0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab"
                                         "3f370d275cec1da1aaa9075ff05f79be"))};
    }
};

struct Bn254G1 {
    using Field = Bn254Fp;
    using Scalar = Bn254Fr;
    static constexpr const char* kName = "BN254 G1";
    CUZK_HD static constexpr Field b() { return Field::from_u64(3); }
    static constexpr Field generator_x() { return Field::one(); }
    static constexpr Field generator_y() { return Field::from_u64(2); }
};

struct Bn254G2 {
    using Field = Fp2<Bn254Fp>;
    using Scalar = Bn254Fr;
    static constexpr const char* kName = "BN254 G2";
    // 3 / (9 + u)
    CUZK_HD static constexpr Field b() {
        constexpr Field v = Field::from_u64(3) * Field{Bn254Fp::from_u64(9), Bn254Fp::one()}.inverse();
        return v;
    }
    static constexpr Field generator_x() {
        using F = Field::Base;
        return {
            F::from_int(F::Int::from_hex("1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed")),
            F::from_int(
                F::Int::from_hex("198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2"))};
    }
    static constexpr Field generator_y() {
        using F = Field::Base;
        return {
            F::from_int(F::Int::from_hex("12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa")),
            F::from_int(
                F::Int::from_hex("090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b"))};
    }
};

// Which sextic twist of E: y^2 = x^3 + b holds G2, with xi = w^6 of the tower.
enum class Twist {
    kM,  // y^2 = x^3 + b xi; (x, y) lies at (x / w^2, y / w^3) on E
    kD,  // y^2 = x^3 + b / xi; (x, y) lies at (x w^2, y w^3) on E
};

// A curve names its two groups, their fields and the tower of its pairing. The parameter x of its family (BLS12 or BN) is
// kX, or -kX where kXIsNegative: p and r are polynomials in it.
struct Bls12_381 {
    static constexpr const char* kName = "bls12381";  // as snarkjs writes it
    using Fp = Bls12_381Fp;
    using Fr = Bls12_381Fr;
    using G1 = Bls12_381G1;
    using G2 = Bls12_381G2;
    using Tower = Bls12_381Tower;
    using Gt = Fp12<Tower>;
    static constexpr u64 kX = 0xd201000000010000;
    static constexpr bool kXIsNegative = true;
    static constexpr Twist kTwist = Twist::kM;
};

struct Bn254 {
    static constexpr const char* kName = "bn128";  // as snarkjs writes it
    using Fp = Bn254Fp;
    using Fr = Bn254Fr;
    using G1 = Bn254G1;
    using G2 = Bn254G2;
    using Tower = Bn254Tower;
    using Gt = Fp12<Tower>;
    static constexpr u64 kX = 4965661367192848881;
    static constexpr bool kXIsNegative = false;
    static constexpr Twist kTwist = Twist::kD;
};

}  // namespace cuzk
