#include "filecoin/shapes.hpp"

#include <bit>

#include "base/error.hpp"

namespace cuzk::filecoin {

namespace {

constexpr u64 kKiB = u64{1} << 10;
constexpr u64 kMiB = u64{1} << 20;
constexpr u64 kGiB = u64{1} << 30;

struct Known {
    u64 bytes;
    TreeShape tree;
};

constexpr Known kKnown[] = {
    {1 * kKiB, {8, 4, 0}},   {2 * kKiB, {8, 0, 0}},  {4 * kKiB, {8, 2, 0}},  {8 * kKiB, {8, 4, 0}},
    {16 * kKiB, {8, 8, 0}},  {32 * kKiB, {8, 8, 2}}, {8 * kMiB, {8, 0, 0}},  {16 * kMiB, {8, 2, 0}},
    {512 * kMiB, {8, 0, 0}}, {1 * kGiB, {8, 2, 0}},  {32 * kGiB, {8, 8, 0}}, {64 * kGiB, {8, 8, 2}},
};

}  // namespace

std::string TreeShape::name() const {
    return std::to_string(base) + '-' + std::to_string(sub) + '-' + std::to_string(top);
}

u32 SectorShape::log_nodes() const {
    return static_cast<u32>(std::countr_zero(nodes()));
}

std::vector<u32> SectorShape::tree_arities() const {
    const u64 upper = u64{tree.sub == 0 ? 1 : tree.sub} * (tree.top == 0 ? 1 : tree.top);
    std::vector<u32> arities;
    for (u64 leaves = nodes() / upper; leaves > 1; leaves /= tree.base) arities.push_back(tree.base);
    if (tree.sub != 0) arities.push_back(tree.sub);
    if (tree.top != 0) arities.push_back(tree.top);
    return arities;
}

SectorShape sector_shape(u64 sector_bytes) {
    for (const Known& k : kKnown) {
        if (k.bytes != sector_bytes) continue;
        const bool production = sector_bytes >= 32 * kGiB;
        SectorShape s;
        s.bytes = sector_bytes;
        s.tree = k.tree;
        s.layers = production ? 11 : 2;
        s.porep_partitions = production ? 10 : 1;
        s.porep_challenges = production ? 18 : 2;
        s.ni_partitions = production ? 126 : 13;
        s.window_slots = sector_bytes == 32 * kGiB ? 2349 : sector_bytes == 64 * kGiB ? 2300 : 2;
        s.update_partitions = sector_bytes <= 8 * kKiB    ? 1
                              : sector_bytes <= 32 * kKiB ? 2
                              : sector_bytes <= 16 * kMiB ? 4
                                                          : 16;
        s.update_challenges = sector_bytes <= 16 * kMiB ? 10 : 86;
        s.update_apex_leaves = sector_bytes <= 8 * kKiB ? 8 : 128;
        if (sector_bytes <= 32 * kKiB)
            s.update_high_bits.fill(1);
        else
            s.update_high_bits = {7, 8, 9, 10, 11, 12};
        return s;
    }
    throw Error(ErrorKind::kUnsupported,
                "no circuit for sectors of " + std::to_string(sector_bytes) +
                    " bytes; known are 2KiB, 4KiB, 16KiB, 32KiB, 8MiB, 512MiB, 32GiB, 64GiB");
}

std::string sector_size_name(u64 bytes) {
    if (bytes >= kGiB) return std::to_string(bytes / kGiB) + "GiB";
    if (bytes >= kMiB) return std::to_string(bytes / kMiB) + "MiB";
    return std::to_string(bytes / kKiB) + "KiB";
}

u64 parse_sector_size(const std::string& text) {
    for (const Known& k : kKnown)
        if (sector_size_name(k.bytes) == text || std::to_string(k.bytes) == text) return k.bytes;
    throw Error(ErrorKind::kUsage, "unknown sector size '" + text + "': write it like 2KiB, 8MiB or 32GiB");
}

}  // namespace cuzk::filecoin
