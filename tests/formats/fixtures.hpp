// Fixture files and mutated copies of them, for the format tests.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "base/byte_source.hpp"
#include "base/error.hpp"

namespace cuzk::test {

using Bytes = std::vector<u8>;

inline Bytes read_bytes(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(in.good()) << path;
    return Bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
}

inline std::string read_text(const std::filesystem::path& path) {
    const Bytes bytes = read_bytes(path);
    return {bytes.begin(), bytes.end()};
}

inline std::filesystem::path data_path(const std::string& name) {
    return std::filesystem::path(CUZK_TEST_DATA_DIR) / name;
}
inline ByteSource data_file(const std::string& name) {
    return ByteSource::open(data_path(name).string());
}

// An optional file of the shared reference material; tests skip where it is absent.
inline std::filesystem::path shared_path(const std::string& name) {
    return std::filesystem::path(CUZK_SHARED_DIR) / name;
}

inline ByteSource in_memory(Bytes bytes, std::string name = "mutated") {
    return ByteSource::from_vector(std::move(name), std::move(bytes));
}

// Circuits that exist for both curves.
inline const std::vector<std::string>& circuits() {
    static const std::vector<std::string> names{"multiplier", "factor33", "linear",
                                                "chain30",    "bits",     "mimc_merkle"};
    return names;
}

// A folder that vanishes with the object.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "cuzk-test-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    std::string file(const std::string& name) const { return (path_ / name).string(); }
    std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
    }

private:
    std::filesystem::path path_;
};

// Runs `action`, which must throw Error of a foreign-input kind whose message holds all of `parts`.
inline void expect_refused(const std::function<void()>& action, const std::vector<std::string>& parts = {},
                           ErrorKind kind = ErrorKind::kMalformed) {
    try {
        action();
        ADD_FAILURE() << "accepted what should be refused";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
        for (const auto& part : parts)
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
                << error.what() << "\n  lacks: " << part;
    }
}

// For inputs that may also turn out fine: nothing but a clean Error may escape.
inline void expect_no_crash(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_NE(error.kind(), ErrorKind::kInternal) << error.what();
    }
}

}  // namespace cuzk::test
