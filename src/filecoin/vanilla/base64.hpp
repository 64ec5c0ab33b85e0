// Base64 (RFC 4648, standard alphabet, padded), as JSON carries bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace cuzk::filecoin {

// Strict: no white space, correct padding. Throws Error(kMalformed) with the position.
std::vector<u8> decode_base64(std::string_view text, const std::string& where);
std::string encode_base64(const std::vector<u8>& bytes);

}  // namespace cuzk::filecoin
