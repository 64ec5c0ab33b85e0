#include "filecoin/params/names.hpp"

#include <cstdlib>

#include "formats/digest.hpp"

namespace cuzk::filecoin {

namespace {

constexpr u64 kKiB = u64{1} << 10;
constexpr u64 kGiB = u64{1} << 30;

std::string tree_name(const SectorShape& shape) {
    return "merkletree-poseidon_hasher-" + shape.tree.name();
}

std::string prefix(CircuitKind kind, const SectorShape& shape) {
    switch (kind) {
        case CircuitKind::kPorep:
            return "stacked-proof-of-replication-" + tree_name(shape) + "-sha256_hasher";
        case CircuitKind::kUpdate: return "empty-sector-update-" + tree_name(shape);
        case CircuitKind::kWindowPost:
        case CircuitKind::kWinningPost: break;
    }
    return "proof-of-spacetime-fallback-" + tree_name(shape);
}

}  // namespace

std::string parameter_identifier(CircuitKind kind, const SectorShape& shape) {
    const auto post = [&](u32 challenges, u32 sectors) {
        return "FallbackPoSt::PublicParams{sector_size: " + std::to_string(shape.bytes) +
               ", challenge_count: " + std::to_string(challenges) +
               ", sector_count: " + std::to_string(sectors) + "}";
    };
    switch (kind) {
        case CircuitKind::kPorep:
            return "layered_drgporep::PublicParams{ graph: stacked_graph::StackedGraph{expansion_degree: 8 "
                   "base_graph: "
                   "drgraph::BucketGraph{size: " +
                   std::to_string(shape.nodes()) +
                   "; degree: 6; hasher: poseidon_hasher} }, challenges: LayerChallenges { layers: " +
                   std::to_string(shape.layers) + ", max_count: " + std::to_string(shape.porep_challenges) +
                   " }, tree: " + tree_name(shape) + " }";
        case CircuitKind::kUpdate:
            return "empty_sector_update::PublicParams{ sector_nodes: " + std::to_string(shape.nodes()) + " }";
        case CircuitKind::kWindowPost: return post(kWindowChallenges, shape.window_slots);
        case CircuitKind::kWinningPost: break;
    }
    return post(1, kWinningSlots);
}

std::string parameter_name(CircuitKind kind, const SectorShape& shape) {
    const std::string id = parameter_identifier(kind, shape);
    const auto digest = sha256(std::span(reinterpret_cast<const u8*>(id.data()), id.size()));
    return "v28-" + prefix(kind, shape) + "-" + hex_text(digest);
}

std::vector<PublishedDigest> published_digests() {
    using enum CircuitKind;
    return {
        {kPorep, 2 * kKiB, "434fb1338ecfaf0f59256f30dde4968f", "dc1ade9929ade1708238f155343044ac"},
        {kPorep, 32 * kGiB, "6a388072a518cf46ebd661f5cc46900a", "0c7b4aac1c40fdb7eb82bc355b41addf"},
        {kPorep, 64 * kGiB, "1801f8a6e1b00bceb00cc27314bb5ce3", "a89884252c04c298d0b3c81bfd884164"},
        {kUpdate, 2 * kKiB, "311f92a3e75036ced01b1c0025f1fa0c", "eadad9784969890d30f2749708c79771"},
        {kUpdate, 32 * kGiB, "1b3cfd761a961543f9eb273e435a06a2", "3a6941983754737fde880d29c7094905"},
        {kUpdate, 64 * kGiB, "1a392e7b759fb18e036c7559b5ece816", "80e366df2f1011953c2d01c7b7c9ee8e"},
        {kWindowPost, 2 * kKiB, "7610b9f82bfc88405b7a832b651ce2f6", "0e0958009936b9d5e515ec97b8cb792d"},
        {kWinningPost, 2 * kKiB, "82c88066be968bb550a05e30ff6c2413", "ffd79788d614d27919ae5bd2d94eacb6"},
        {kWindowPost, 32 * kGiB, "2cf49eb26f1fee94c85781a390ddb4c8", "0f8ec542485568fa3468c066e9fed82b"},
        {kWinningPost, 32 * kGiB, "d84f79a16fe40e9e25a36e2107bb1ba0", "fc02943678dd119e69e7fab8420e8819"},
        {kWindowPost, 64 * kGiB, "3810b7780ac0e299b22ae70f1f94c9bc", "59d2bf1857adc59a4f08fcf2afaa916b"},
        {kWinningPost, 64 * kGiB, "2170a91ad5bae22ea61f2ea766630322", "6d3789148fb6466d07ee1e24d6292fd6"},
    };
}

std::string parameter_folder() {
    const char* folder = std::getenv("FIL_PROOFS_PARAMETER_CACHE");
    return folder != nullptr && *folder != '\0' ? folder : "/var/tmp/filecoin-proof-parameters";
}

}  // namespace cuzk::filecoin
