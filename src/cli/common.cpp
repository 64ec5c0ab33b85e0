#include "cli/common.hpp"

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "groth16/key_checks.hpp"

namespace cuzk::cli {

void CommonOptions::add_to(CLI::App& command, bool with_json) {
    command.add_option("--threads", threads, "Threads to use (default: all)")->check(CLI::Range(1, 4096));
    if (with_json) command.add_flag("--json", json, "Print the result as JSON");
}

std::string grouped(u64 value) {
    std::string text = std::to_string(value);
    for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
    return text;
}

std::string duration_text(double seconds) {
    if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
    if (seconds < 120) return fmt::format("{:.2f} s", seconds);
    const auto whole = static_cast<u64>(seconds);
    return fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string bytes_text(u64 bytes) {
    constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < kUnits.size()) {
        value /= 1024;
        ++unit;
    }
    return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class C>
void refuse_forgeable(const VerifyingKey<C>& vk, const std::string& name, bool allowed) {
    const auto reason = forgeable(vk);
    if (!reason) return;
    if (!allowed)
        throw Error(ErrorKind::kUnsupported,
                    fmt::format("{}: anyone can forge proofs under this key ({}), as with a key straight "
                                "from a setup without "
                                "contributions; --allow-insecure-key uses it all the same",
                                name, *reason));
    fmt::print(stderr, "cuzk: warning: {}: anyone can forge proofs under this key ({})\n", name, *reason);
}
template void refuse_forgeable(const VerifyingKey<Bn254>&, const std::string&, bool);
template void refuse_forgeable(const VerifyingKey<Bls12_381>&, const std::string&, bool);

u64 peak_memory() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<u64>(usage.ru_maxrss) * 1024;
}

void refuse_overwriting(const std::string& output, const std::vector<std::string>& inputs) {
    for (const std::string& input : inputs) {
        std::error_code ignored;
        if (output == input || std::filesystem::equivalent(output, input, ignored))
            throw Error(ErrorKind::kUsage, output + ": this output is also an input");
    }
}

}  // namespace cuzk::cli
