// Access to the vectors made with the network's own software, in ../shared/oracle. Tests that need them skip where the folder
// is absent.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

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

}  // namespace cuzk::filecoin::oracle

#define CUZK_NEED_ORACLE()                  \
    if (!cuzk::filecoin::oracle::present()) \
    GTEST_SKIP() << "the vectors of ../shared/oracle are not beside this checkout"
