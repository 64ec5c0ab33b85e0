// snarkjs' Groth16 proving keys (.zkey), both curves. Reading maps the file and uses the points where they lie.
//
// Sections, in any order (all integers little-endian; points affine, Montgomery limbs, infinity as zeros):
//   1 protocol (1 = Groth16)   2 header: moduli, variables, public inputs, domain, alpha1 beta1 beta2 gamma2 delta1 delta2
//   3 IC   4 coefficients of A and B (u32 matrix, row, variable; value times R^2)   5 A   6 B in G1   7 B in G2
//   8 L ("C")   9 H (Lagrange basis of the odd coset, `domain` points)   10 setup transcript (optional for proving)
// There is no C matrix: only the .r1cs, or verifying the proof, can tell whether a witness satisfies the circuit.
#pragma once

#include <optional>

#include "formats/curve_id.hpp"
#include "formats/iden3_container.hpp"
#include "formats/read_options.hpp"
#include "formats/zkey_transcript.hpp"
#include "groth16/types.hpp"

namespace cuzk {

// An opened key file. Opening checks the section map, the header, the verifying key (all points, fully) and that every
// section has exactly the length that the header implies; it reads a few pages. Immutable; cheap to copy.
template <class C>
class ZkeyFile {
public:
    using Fr = typename C::Fr;
    using G1 = typename C::G1;
    using G2 = typename C::G2;

    // Throws Error(kMalformed), or kUnsupported for another protocol or curve.
    explicit ZkeyFile(ByteSource source);

    const Iden3Container& container() const { return container_; }
    const VerifyingKey<C>& vk() const { return vk_; }
    std::size_t variables() const { return variables_; }  // with the constant one
    std::size_t public_inputs() const { return public_inputs_; }
    unsigned log_domain() const { return log_domain_; }
    std::size_t coefficients() const;  // entries of section 4

    AffineView<G1> a() const;
    AffineView<G1> b_g1() const;
    AffineView<G2> b_g2() const;
    AffineView<G1> l() const;
    AffineView<G1> h() const;

    // The whole key: checks points as asked and turns the coefficients into matrices. Its views point into the file,
    // which stays mapped as long as the key lives.
    ProvingKey<C> proving_key(const ReadOptions& options = {}) const;
    // Section 10, if there is one.
    std::optional<ZkeyTranscript> transcript() const;
    // Its bytes; empty if there is none.
    std::span<const u8> transcript_bytes() const;
    void check_points(PointChecks checks, Progress* progress = nullptr) const;

private:
    template <class G>
    AffineView<G> points(u32 section) const;
    void read_header();
    void check_sizes() const;

    Iden3Container container_;
    VerifyingKey<C> vk_;
    std::size_t variables_ = 0;
    std::size_t public_inputs_ = 0;
    unsigned log_domain_ = 0;
};

// The curve of a .zkey, from its header. Throws like ZkeyFile.
CurveId zkey_curve(const ByteSource& source);

template <class C>
ProvingKey<C> read_zkey(ByteSource source, const ReadOptions& options = {}) {
    return ZkeyFile<C>(std::move(source)).proving_key(options);
}

extern template class ZkeyFile<Bn254>;
extern template class ZkeyFile<Bls12_381>;

}  // namespace cuzk
