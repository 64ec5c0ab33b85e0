// Runs the executable the way a person does.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace cuzk::test {

namespace fs = std::filesystem;

struct Outcome {
    int code = -1;       // exit code; 128 + signal if it was killed
    std::string output;  // stdout
    std::string errors;  // stderr
};

inline std::string read_text(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(in.good()) << path;
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_text(const fs::path& path, const std::string& text) {
    std::ofstream out(path, std::ios::binary);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    ASSERT_TRUE(out.good()) << path;
}

// A folder of its own for each test, gone afterwards, and the command run with it in reach.
class CommandTest : public ::testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "cuzk-cli-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { fs::remove_all(folder_); }

    // Path of a file in the test's folder.
    std::string out(const std::string& name) const { return (folder_ / name).string(); }
    static std::string data(const std::string& name) { return std::string(CUZK_TEST_DATA_DIR) + "/" + name; }

    Outcome run(const std::vector<std::string>& arguments, const std::string& environment = "") const {
        const fs::path stdout_file = folder_ / ".stdout";
        const fs::path stderr_file = folder_ / ".stderr";
        std::string line = "env " + environment + " " + quoted(CUZK_CLI_PATH);
        for (const std::string& argument : arguments) line += " " + quoted(argument);
        line += " >" + quoted(stdout_file.string()) + " 2>" + quoted(stderr_file.string());
        const int status = std::system(line.c_str());
        Outcome outcome;
        outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        outcome.output = read_text(stdout_file);
        outcome.errors = read_text(stderr_file);
        fs::remove(stdout_file);
        fs::remove(stderr_file);
        return outcome;
    }

    // The command fails with this code, names what it should, and leaves nothing behind beside
    // `expected_files`.
    void expect_failure(const std::vector<std::string>& arguments, int code, const std::string& message,
                        const std::string& environment = "") const {
        const std::size_t files_before = files();
        const Outcome outcome = run(arguments, environment);
        EXPECT_EQ(outcome.code, code) << outcome.errors;
        EXPECT_NE((outcome.errors + outcome.output).find(message), std::string::npos)
            << "wanted: " << message << "\ngot: " << outcome.errors << outcome.output;
        EXPECT_EQ(files(), files_before) << "a failed command left a file behind";
    }

    std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
    }

    fs::path folder_;

private:
    static std::string quoted(const std::string& text) {
        std::string result = "'";
        for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
        return result + "'";
    }
};

}  // namespace cuzk::test
