// Section 10 of a .zkey: who took part in the second phase of the setup.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/byte_reader.hpp"
#include "curve/curves.hpp"

namespace cuzk {

// The parts of a contribution that say who made it; the points that prove it are checked for length alone.
struct ZkeyContribution {
    bool beacon = false;        // a public random beacon, else a person
    std::string name;           // as given; may be empty, need not be printable
    u32 beacon_iterations = 0;  // 2^this hash iterations
    std::vector<u8> beacon_hash;
};

struct ZkeyTranscript {
    std::array<u8, 64> circuit_hash{};
    std::vector<ZkeyContribution> contributions;
};

// `reader` covers the section; reads to its end.
template <class C>
ZkeyTranscript read_zkey_transcript(ByteReader reader);

// A section without contributions (the state after `groth16 setup`), or with one that only carries a notice: its
// points are placeholders, so that a ceremony verifier rejects it.
template <class C>
std::vector<u8> make_zkey_transcript(const std::array<u8, 64>& circuit_hash, const std::string& notice = {});

extern template ZkeyTranscript read_zkey_transcript<Bn254>(ByteReader);
extern template ZkeyTranscript read_zkey_transcript<Bls12_381>(ByteReader);
extern template std::vector<u8> make_zkey_transcript<Bn254>(const std::array<u8, 64>&, const std::string&);
extern template std::vector<u8> make_zkey_transcript<Bls12_381>(const std::array<u8, 64>&,
                                                                const std::string&);

}  // namespace cuzk
