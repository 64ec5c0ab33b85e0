// Access to the vectors made with the network's own software, in ../shared/oracle. Tests that need them skip where the folder
// is absent.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "field/fp.hpp"

namespace cuzk::filecoin::oracle {

inline std::filesystem::path folder() {
    return std::filesystem::path(CUZK_SHARED_DIR) / "oracle";
}
inline bool present() {
    return std::filesystem::exists(folder() / "README.md");
}

inline nlohmann::json load(const std::filesystem::path& relative) {
    std::ifstream file(folder() / relative);
    EXPECT_TRUE(file) << relative;
    return nlohmann::json::parse(file);
}

inline std::vector<u8> read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>(file), {}};
}

// 32 bytes of hexadecimal digits, as the vectors write scalars and commitments (little-endian).
inline std::array<u8, 32> hex32(const std::string& text) {
    std::array<u8, 32> out{};
    for (std::size_t i = 0; i < 32; ++i)
        out[i] = static_cast<u8>(std::stoul(text.substr(2 * i, 2), nullptr, 16));
    return out;
}

inline Bls12_381Fr scalar(const std::string& text) {
    return *Bls12_381Fr::from_bytes_le(hex32(text));
}

}  // namespace cuzk::filecoin::oracle

#define CUZK_NEED_ORACLE()                  \
    if (!cuzk::filecoin::oracle::present()) \
    GTEST_SKIP() << "the vectors of ../shared/oracle are not beside this checkout"
