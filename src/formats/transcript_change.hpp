// Setup transcripts between .zkey (section 10) and .params: the same points and hashes, encoded differently. The names and
// beacons of a .zkey have no place in a .params file.
#pragma once

#include <string>
#include <vector>

#include "base/byte_reader.hpp"

namespace cuzk {

// `reader` covers section 10 of a BLS12-381 key. Throws Error(kMalformed) for points that are not on the curve.
std::vector<u8> params_transcript_from_zkey(ByteReader reader);
// `reader` covers what follows the last query of a .params file. Contributions become nameless.
std::vector<u8> zkey_transcript_from_params(ByteReader reader);

}  // namespace cuzk
