#include "engine/circuit_id.hpp"

#include <charconv>

#include "base/error.hpp"
#include "filecoin/shapes.hpp"

namespace cuzk::engine {

using filecoin::CircuitKind;

namespace {

constexpr std::pair<CircuitKind, const char*> kPrefixes[] = {{CircuitKind::kPorep, "porep"},
                                                             {CircuitKind::kUpdate, "snap"},
                                                             {CircuitKind::kWindowPost, "wpost"},
                                                             {CircuitKind::kWinningPost, "winning"}};
constexpr std::pair<char, unsigned> kUnits[] = {{'g', 30}, {'m', 20}, {'k', 10}};

[[noreturn]] void unknown(const std::string& id) {
    throw Error(ErrorKind::kUsage, "unknown circuit '" + id +
                                       "': the names are porep, snap, wpost and winning with a sector size, "
                                       "as in porep-32g, wpost-64g or winning-2k");
}

}  // namespace

std::string circuit_id(CircuitKind kind, u64 sector_bytes) {
    std::string out;
    for (const auto& [k, prefix] : kPrefixes)
        if (k == kind) out = prefix;
    for (const auto& [unit, shift] : kUnits)
        if (sector_bytes >> shift != 0) return out + "-" + std::to_string(sector_bytes >> shift) + unit;
    return out + "-" + std::to_string(sector_bytes);
}

CircuitName parse_circuit_id(const std::string& id) {
    const std::size_t dash = id.find('-');
    if (dash == std::string::npos || id.size() < dash + 3) unknown(id);
    const std::string prefix = id.substr(0, dash);
    const char* const first = id.data() + dash + 1;
    const char* const last = id.data() + id.size() - 1;
    u64 number = 0;
    const auto [end, failure] = std::from_chars(first, last, number);
    if (failure != std::errc() || end != last || number == 0 || number > 1024) unknown(id);
    for (const auto& [kind, name] : kPrefixes)
        for (const auto& [unit, shift] : kUnits) {
            if (prefix != name || *last != unit) continue;
            const u64 bytes = number << shift;
            if (circuit_id(kind, bytes) != id) unknown(id);  // one spelling a circuit
            try {
                filecoin::sector_shape(bytes);
            } catch (const Error&) {
                unknown(id);
            }
            return {kind, bytes};
        }
    unknown(id);
}

}  // namespace cuzk::engine
