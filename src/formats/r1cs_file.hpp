// circom's constraint systems (.r1cs, version 1 of the iden3 specification).
//
// Section 1: header. Section 2: constraints, each three linear combinations (u32 terms; u32 wire, 32-byte coefficient).
// Section 3: the label of each wire (u64). Sections 4 and 5 (custom gates) belong to PLONK and are refused.
#pragma once

#include <vector>

#include "base/byte_source.hpp"
#include "formats/curve_id.hpp"
#include "formats/read_options.hpp"
#include "r1cs/r1cs.hpp"

namespace cuzk {

struct R1csHeader {
    CurveId curve = CurveId::kBn254;
    u32 wires = 0;  // with the constant one
    u32 public_outputs = 0;
    u32 public_inputs = 0;  // outputs not included
    u32 private_inputs = 0;
    u64 labels = 0;
    u32 constraints = 0;
};

// The matrices, and what else the file says of its wires: outputs come first among the public ones.
template <class Fr>
struct R1csFile {
    R1csHeader header;
    R1cs<Fr> system;
    std::vector<u64> wire_labels;  // one a wire; empty if the file has no section 3
};

// Header alone, checked against the file's length. Throws Error(kMalformed), or kUnsupported for another field or
// custom gates.
R1csHeader read_r1cs_header(const ByteSource& source);

// The whole system, streamed into compact matrices: the file itself is never copied.
template <class C>
R1csFile<typename C::Fr> read_r1cs(const ByteSource& source, Progress* progress = nullptr);

template <class C>
void write_r1cs(const std::string& path, const R1csFile<typename C::Fr>& file);

extern template R1csFile<Bn254Fr> read_r1cs<Bn254>(const ByteSource&, Progress*);
extern template R1csFile<Bls12_381Fr> read_r1cs<Bls12_381>(const ByteSource&, Progress*);
extern template void write_r1cs<Bn254>(const std::string&, const R1csFile<Bn254Fr>&);
extern template void write_r1cs<Bls12_381>(const std::string&, const R1csFile<Bls12_381Fr>&);

}  // namespace cuzk
