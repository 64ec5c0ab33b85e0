// Section numbers and layout of .zkey files, for the reader, the writer and the inspector.
#pragma once

#include <array>

#include "formats/iden3_container.hpp"

namespace cuzk::zkey {

inline constexpr u32 kVersion = 1;
inline constexpr u32 kProtocolGroth16 = 1;

enum Section : u32 {
    kProtocol = 1,
    kHeader = 2,
    kIc = 3,
    kCoefficients = 4,
    kA = 5,
    kB1 = 6,
    kB2 = 7,
    kL = 8,
    kH = 9,
    kTranscript = 10,
};

inline constexpr std::array<Iden3SectionName, 10> kNames{{{kProtocol, "protocol"},
                                                          {kHeader, "header"},
                                                          {kIc, "IC"},
                                                          {kCoefficients, "coefficients"},
                                                          {kA, "A query"},
                                                          {kB1, "B query in G1"},
                                                          {kB2, "B query in G2"},
                                                          {kL, "L query"},
                                                          {kH, "H query"},
                                                          {kTranscript, "setup transcript"}}};

// One entry of the coefficient section: u32 matrix, u32 row, u32 variable, Fr (32 bytes, value times R^2).
inline constexpr std::size_t kCoefficientBytes = 12 + 32;

}  // namespace cuzk::zkey
