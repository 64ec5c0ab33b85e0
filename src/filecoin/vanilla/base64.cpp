#include "filecoin/vanilla/base64.hpp"

#include <array>

#include "base/error.hpp"

namespace cuzk::filecoin {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr u8 kInvalid = 0xff;

constexpr std::array<u8, 256> kValues = [] {
    std::array<u8, 256> v{};
    v.fill(kInvalid);
    for (std::size_t i = 0; i < kAlphabet.size(); ++i) v[static_cast<u8>(kAlphabet[i])] = static_cast<u8>(i);
    return v;
}();

}  // namespace

std::vector<u8> decode_base64(std::string_view text, const std::string& where) {
    const auto fail = [&](std::size_t at) {
        throw Error(ErrorKind::kMalformed, where + ": no base64 at character " + std::to_string(at));
    };
    if (text.size() % 4 != 0) fail(text.size());
    std::size_t padding = 0;
    while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
    std::vector<u8> out(text.size() / 4 * 3);
    auto to = out.begin();
    for (std::size_t i = 0; i < text.size(); i += 4) {
        const std::size_t pad = i + 4 == text.size() ? padding : 0;
        u32 word = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const u8 v = k >= 4 - pad ? 0 : kValues[static_cast<u8>(text[i + k])];
            if (v == kInvalid) fail(i + k);
            word = (word << 6) | v;
        }
        for (const unsigned shift : {16u, 8u, 0u}) *to++ = static_cast<u8>(word >> shift);
    }
    for (; padding > 0; --padding) out.pop_back();
    return out;
}

std::string encode_base64(const std::vector<u8>& bytes) {
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        u32 word = 0;
        const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
        for (std::size_t k = 0; k < 3; ++k) word = (word << 8) | (k < n ? bytes[i + k] : 0u);
        for (std::size_t k = 0; k < 4; ++k) out += k <= n ? kAlphabet[(word >> (18 - 6 * k)) & 63] : '=';
    }
    return out;
}

}  // namespace cuzk::filecoin
