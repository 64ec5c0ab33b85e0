// Options that exist for tests alone: hidden, and refused without CUZK_TEST_HOOKS=1.
#pragma once

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "formats/decimal.hpp"
#include "groth16/prover.hpp"

namespace cuzk::cli {

inline void add_test_randomness(CLI::App& app, std::string& text) {
    app.add_option("--unsafe-test-randomness", text, "Tests only: fixed r,s")->group("");
}

// "r,s" in decimal. Asking for it takes a flag and an environment variable, so that no script does by
// accident.
template <class Fr>
std::optional<FixedBlinding<Fr>> fixed_blinding(const std::string& text) {
    if (text.empty()) return std::nullopt;
    const char* hooks = std::getenv("CUZK_TEST_HOOKS");
    if (hooks == nullptr || std::string_view(hooks) != "1")
        throw Error(
            ErrorKind::kUsage,
            "--unsafe-test-randomness gives the witness away; it is for tests and needs CUZK_TEST_HOOKS=1");
    const std::size_t comma = text.find(',');
    const auto number = [&](std::string_view digits) {
        const auto value = from_decimal<Fr::kLimbs>(digits);
        if (!value || *value >= Fr::Constants::kModulus)
            throw Error(ErrorKind::kUsage,
                        "--unsafe-test-randomness wants r,s: two decimal numbers below the group order");
        return Fr::from_int(*value);
    };
    if (comma == std::string::npos) number("");
    fmt::print(stderr, "cuzk: warning: r and s are not random: this proof hides nothing\n");
    return FixedBlinding<Fr>{{},
                             number(std::string_view(text).substr(0, comma)),
                             number(std::string_view(text).substr(comma + 1))};
}

}  // namespace cuzk::cli
