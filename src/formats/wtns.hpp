// snarkjs witness files (.wtns, version 2): the value of every variable.
//
// Section 1: u32 field size, modulus, u32 count. Section 2: `count` canonical little-endian numbers of 32 bytes.
#pragma once

#include <vector>

#include "base/byte_source.hpp"
#include "formats/curve_id.hpp"

namespace cuzk {

// The curve whose scalar field the witness is over. Throws Error(kMalformed), or kUnsupported for another field.
CurveId wtns_curve(const ByteSource& source);

// Number of values that the header states, against the length of the body.
std::size_t wtns_size(const ByteSource& source);

// The values as they lie in the file. The curve and the length of the body are checked, the values are not.
template <class C>
std::span<const u8> wtns_values(const ByteSource& source);

// All values in Montgomery form. Refuses, naming the variable, a value that is not below the modulus or a first value
// that is not one, and a body that is longer or shorter than the stated count.
template <class C>
std::vector<typename C::Fr> read_wtns(const ByteSource& source);

template <class C>
void write_wtns(const std::string& path, std::span<const typename C::Fr> values);

extern template std::span<const u8> wtns_values<Bn254>(const ByteSource&);
extern template std::span<const u8> wtns_values<Bls12_381>(const ByteSource&);
extern template std::vector<Bn254Fr> read_wtns<Bn254>(const ByteSource&);
extern template std::vector<Bls12_381Fr> read_wtns<Bls12_381>(const ByteSource&);
extern template void write_wtns<Bn254>(const std::string&, std::span<const Bn254Fr>);
extern template void write_wtns<Bls12_381>(const std::string&, std::span<const Bls12_381Fr>);

}  // namespace cuzk
