// What the commands share: common options, text of numbers, checks of arguments.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/byte_source.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "formats/detect.hpp"
#include "groth16/types.hpp"

namespace cuzk::cli {

inline constexpr const char* kVersion = CUZK_VERSION;

// Keeps the order of insertion, so that output reads as it was written.
using Json = nlohmann::ordered_json;

// Options that most commands have.
struct CommonOptions {
    std::size_t threads = 0;  // 0: all
    bool json = false;

    void add_to(CLI::App& command, bool with_json = true);
};

// "1,234,567"
std::string grouped(u64 value);
// "812 ms", "3.21 s", "2 min 5 s"
std::string duration_text(double seconds);
// "12.3 MiB"
std::string bytes_text(u64 bytes);

// Of an even number the upper one; 0 of none.
double median(std::vector<double> values);

double seconds_since(std::chrono::steady_clock::time_point start);

// Refuses (kUnsupported) a key under which anyone can forge, unless allowed.
template <class C>
void refuse_forgeable(const VerifyingKey<C>& vk, const std::string& name, bool allowed);

// Peak resident memory of this process in bytes.
u64 peak_memory();

// Refuses (kUsage) an output path that is one of the inputs.
void refuse_overwriting(const std::string& output, const std::vector<std::string>& inputs);

}  // namespace cuzk::cli
