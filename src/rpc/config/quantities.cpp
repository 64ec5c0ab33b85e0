#include "rpc/config/quantities.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

namespace cuzk::rpc {

namespace {

using Unit = std::pair<std::string_view, u64>;

// Longest names first where one is a suffix of another.
constexpr std::array<Unit, 9> kSizes{{{"TiB", u64{1} << 40},
                                      {"GiB", u64{1} << 30},
                                      {"MiB", u64{1} << 20},
                                      {"KiB", u64{1} << 10},
                                      {"TB", 1'000'000'000'000},
                                      {"GB", 1'000'000'000},
                                      {"MB", 1'000'000},
                                      {"KB", 1'000},
                                      {"B", 1}}};
constexpr std::array<Unit, 5> kDurations{
    {{"ms", 1}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"d", 86'400'000}}};

// value x unit, where the number may have a fraction if the product is whole.
template <std::size_t N>
std::optional<u64> parse(std::string_view text, const std::array<Unit, N>& units, u64 plain, u64 limit) {
    u64 factor = plain;
    for (const auto& [name, size] : units) {
        if (text.size() > name.size() && text.ends_with(name)) {
            text.remove_suffix(name.size());
            factor = size;
            break;
        }
    }
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);

    u64 whole = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
    if (error != std::errc()) return std::nullopt;
    if (end == text.data() + text.size())
        return whole <= limit / factor ? std::optional(whole * factor) : std::nullopt;

    double value = 0;
    const auto [stop, bad] =
        std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (bad != std::errc() || stop != text.data() + text.size()) return std::nullopt;
    const double product = value * static_cast<double>(factor);
    if (product != std::floor(product) || product > static_cast<double>(limit)) return std::nullopt;
    return static_cast<u64>(product);
}

template <std::size_t N>
std::string text_of(u64 value, const std::array<Unit, N>& units, std::string_view prefix_of_interest) {
    for (const auto& [name, size] : units) {
        if (!prefix_of_interest.empty() && name.find(prefix_of_interest) == std::string_view::npos) continue;
        if (value != 0 && value % size == 0) return std::to_string(value / size) + std::string(name);
    }
    return {};
}

}  // namespace

std::optional<u64> parse_size(const std::string& text) {
    return parse(text, kSizes, 1, u64{1} << 62);
}

std::string size_text(u64 bytes) {
    const std::string text = text_of(bytes, kSizes, "iB");
    return text.empty() ? std::to_string(bytes) : text;
}

std::optional<std::chrono::milliseconds> parse_duration(const std::string& text) {
    constexpr u64 kCentury = u64{100} * 366 * 86'400'000;
    const auto count = parse(text, kDurations, 1000, kCentury);
    if (!count) return std::nullopt;
    return std::chrono::milliseconds(*count);
}

std::string duration_text(std::chrono::milliseconds duration) {
    constexpr std::array<Unit, 4> kDescending{{{"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};
    const std::string text = text_of(static_cast<u64>(duration.count()), kDescending, "");
    return text.empty() ? "0s" : text;
}

}  // namespace cuzk::rpc
