// What a Groth16 proof system passes around: keys, proofs, ready assignments. Plain data; the checks of what
// a file may claim are in formats/, the consistency of a key's parts in groth16/key_checks.hpp. Method:
// Groth, "On the Size of Pairing-based Non-interactive Arguments", EUROCRYPT 2016.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "curve/affine.hpp"

namespace cuzk {

template <class Fr>
class SparseMatrix;  // r1cs/matrix.hpp
template <class Fr>
struct InstancedCircuit;  // groth16/instanced_circuit.hpp

// Variable order everywhere: index 0 is the constant one, then the public inputs, then the private variables.

// The two layouts of a proving key in the wild. They differ in more than the file format:
//
//              kSnarkjs (.zkey)                                kBellman (.params)
// a, b_g1/g2   one point a variable, infinity where unused     points of used variables only, in their order
// h            `domain` points: Lagrange basis of the odd      `domain - 1` points: powers tau^i Z(tau)/delta
//              coset (shift = the 2 * domain-th root)
// matrices     A and B are in the key (C is not)               none: rows come ready, or from `circuit`
// domain root  from the smallest quadratic non-residue         from the generator 7 (the coset shift as well)
//
// Both append one row per public input (the constant one among them) to the constraints: A = {that input}, B
// = C = {}.
enum class KeyFamily { kSnarkjs, kBellman };

// Points are affine, Montgomery; on the curve and in the subgroup (whoever decodes a key checks that).
template <class C>
struct VerifyingKey {
    Affine<typename C::G1> alpha_g1;
    Affine<typename C::G2> beta_g2, gamma_g2, delta_g2;
    // Only provers use these two, and snarkjs' verification_key.json lacks them: infinity means absent.
    Affine<typename C::G1> beta_g1, delta_g1;
    std::vector<Affine<typename C::G1>> ic;  // one more than public inputs; ic[0] belongs to the constant one

    std::size_t public_inputs() const { return ic.size() - 1; }
    bool has_prover_points() const { return !beta_g1.is_infinity() && !delta_g1.is_infinity(); }
    friend bool operator==(const VerifyingKey&, const VerifyingKey&) = default;
};

template <class C>
struct Proof {
    Affine<typename C::G1> a;
    Affine<typename C::G2> b;
    Affine<typename C::G1> c;

    friend bool operator==(const Proof&, const Proof&) = default;
};

// A proving key is a set of views into storage that it keeps alive (a mapped file, decoded vectors, or both).
// Moving and copying is cheap; immutable once made, so any number of threads may prove with it.
template <class C>
struct ProvingKey {
    using Fr = typename C::Fr;

    KeyFamily family = KeyFamily::kSnarkjs;
    std::string name;           // for messages: the file it was read from
    VerifyingKey<C> vk;         // with beta_g1 and delta_g1
    std::size_t variables = 0;  // with the constant one
    unsigned log_domain = 0;    // the QAP's evaluation domain has 2^log_domain points

    AffineView<typename C::G1> a;
    AffineView<typename C::G1> b_g1;
    AffineView<typename C::G2> b_g2;
    AffineView<typename C::G1> h;
    AffineView<typename C::G1>
        l;  // private variables only: variables - 1 - public_inputs() points, both families

    // kSnarkjs only, else null. rows <= domain(), the appended public rows included (as in section 4 of a
    // .zkey); cols = variables.
    std::shared_ptr<const SparseMatrix<Fr>> a_matrix, b_matrix;

    // kBellman only, and only where the key's maker knows it: then the key proves compact witnesses.
    std::shared_ptr<const InstancedCircuit<Fr>> circuit;

    std::shared_ptr<const void> storage;  // owner of what the views point to

    std::size_t domain() const { return std::size_t{1} << log_domain; }
    std::size_t public_inputs() const { return vk.public_inputs(); }
};

// Which variables of a range occur in a matrix: bit i of byte i / 8, low bit first (bellman's density
// trackers).
class DensityBits {
public:
    DensityBits() = default;
    explicit DensityBits(std::size_t size) : bytes_((size + 7) / 8), size_(size) {}
    // bytes.size() == (size + 7) / 8; bits past `size` are ignored and cleared.
    DensityBits(std::span<const u8> bytes, std::size_t size)
        : bytes_(bytes.begin(), bytes.end()), size_(size) {
        if (size % 8 != 0 && !bytes_.empty()) bytes_.back() &= static_cast<u8>((1u << (size % 8)) - 1);
    }

    std::size_t size() const { return size_; }
    bool operator[](std::size_t i) const { return ((bytes_[i / 8] >> (i % 8)) & 1) != 0; }
    void set(std::size_t i) { bytes_[i / 8] |= static_cast<u8>(1u << (i % 8)); }
    std::size_t count() const {
        std::size_t n = 0;
        for (const u8 b : bytes_) n += static_cast<std::size_t>(__builtin_popcount(b));
        return n;
    }
    std::span<const u8> bytes() const { return bytes_; }

private:
    std::vector<u8> bytes_;
    std::size_t size_ = 0;
};

// A ready assignment for a kBellman key: the rows' values were computed elsewhere (the way SUPRASEAL_C2 is
// called). Values are Montgomery field elements; the spans stay alive through `storage`.
template <class Fr>
struct Assignment {
    std::size_t inputs = 0;              // public inputs with the constant one
    std::span<const Fr> z;               // inputs, then private variables; z[0] = 1
    std::span<const Fr> a, b, c;         // one value a row, the appended input rows included; equal sizes
    DensityBits a_aux, b_inputs, b_aux;  // sizes: private variables, inputs, private variables
    std::shared_ptr<const void> storage;

    std::size_t aux() const { return z.size() - inputs; }
};

}  // namespace cuzk
