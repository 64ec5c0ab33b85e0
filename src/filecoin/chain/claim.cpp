#include "filecoin/chain/claim.hpp"

#include <string_view>

#include "base/parallel.hpp"
#include "filecoin/chain/parents.hpp"
#include "filecoin/circuits/update.hpp"
#include "filecoin/native/hash.hpp"
#include "filecoin/vanilla/challenges.hpp"
#include "filecoin/vanilla/post.hpp"
#include "filecoin/vanilla/update.hpp"

namespace cuzk::filecoin {

namespace {

void append(std::vector<u8>& out, std::span<const u8> bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
}

Bytes32 bytes_of(const Fr& x) {
    Bytes32 out{};
    x.to_bytes_le(out);
    return out;
}

// The payload of a miner's ID address: its number as a variable-length integer, zero padded.
Bytes32 prover_id(u64 miner) {
    Bytes32 out{};
    std::size_t i = 0;
    for (; miner >= 0x80; miner >>= 7) out[i++] = static_cast<u8>(miner | 0x80);
    out[i] = static_cast<u8>(miner);
    return out;
}

Fr replica_id(const PorepClaim& claim) {
    std::vector<u8> message;
    append(message, prover_id(claim.miner_id));
    for (std::size_t i = 0; i < 8; ++i)
        message.push_back(static_cast<u8>(claim.sector_number >> (56 - 8 * i)));
    append(message, claim.ticket);
    append(message, bytes_of(claim.comm_d));
    append(message, claim.porep_id);
    return trimmed_sha256(message);
}

u64 porep_challenge(const PorepClaim& claim, const Fr& replica, u32 j) {
    const u64 nodes = claim.shape.nodes();
    switch (claim.form) {
        case PorepClaim::Form::kInteractive: return interactive_challenge(replica, claim.seed, j, nodes);
        case PorepClaim::Form::kSynthetic:
            return synthetic_challenge(replica, claim.comm_r, claim.seed, j, nodes);
        case PorepClaim::Form::kNonInteractive: break;
    }
    return non_interactive_challenge(replica, claim.comm_r, j, nodes);
}

std::vector<std::vector<Fr>> inputs_of(const PorepClaim& claim) {
    const SectorShape& shape = claim.shape;
    const bool ni = claim.form == PorepClaim::Form::kNonInteractive;
    const Fr replica = replica_id(claim);
    const ParentGraph graph(shape.nodes(), claim.porep_id, claim.version_1_0);
    std::vector<std::vector<Fr>> out(ni ? shape.ni_partitions : shape.porep_partitions);
    parallel_for(0, out.size(), [&](std::size_t k) {
        std::vector<Fr>& inputs = out[k];
        inputs = {replica, claim.comm_d, claim.comm_r};
        for (u32 i = 0; i < shape.porep_challenges; ++i) {
            const u64 challenge =
                porep_challenge(claim, replica, static_cast<u32>(k) * shape.porep_challenges + i);
            const Fr node = Fr::from_u64(challenge);
            inputs.push_back(node);  // leaf of tree D
            for (const u32 parent : graph(static_cast<u32>(challenge)))
                inputs.push_back(Fr::from_u64(parent));
            inputs.insert(inputs.end(), 3, node);  // the label's node, leaves of trees R and C
        }
    });
    return out;
}

std::vector<std::vector<Fr>> inputs_of(const UpdateClaim& claim) {
    std::vector<std::vector<Fr>> out;
    for (u32 k = 0; k < claim.shape.update_partitions; ++k)
        out.push_back({Fr::from_u64(partition_and_high_select(claim.shape, k)), claim.comm_r_old,
                       claim.comm_d_new, claim.comm_r_new});
    return out;
}

std::vector<std::vector<Fr>> inputs_of(const PostClaim& claim) {
    const u64 nodes = claim.shape.nodes();
    const auto leaf = [&](const PostClaim::Sector& sector, u64 challenge) {
        return Fr::from_u64(post_challenge(claim.randomness, sector.number, challenge, nodes));
    };
    if (claim.winning) {  // the one sector, in as many slots as there are challenges
        std::vector<Fr> inputs;
        for (u32 n = 0; n < kWinningSlots; ++n) {
            inputs.push_back(claim.sectors[0].comm_r);
            inputs.push_back(leaf(claim.sectors[0], n));
        }
        return {inputs};
    }
    const std::size_t slots = claim.shape.window_slots;
    const std::size_t sectors = claim.sectors.size();
    std::vector<std::vector<Fr>> out((sectors + slots - 1) / slots);
    parallel_for(0, out.size(), [&](std::size_t k) {
        for (std::size_t slot = 0; slot < slots; ++slot) {
            const std::size_t i =
                std::min(k * slots + slot, sectors - 1);  // the last one fills its partition
            const u64 place = u64{claim.partition_index} * slots + i;
            const u64 first = claim.running_challenges ? place * kWindowChallenges : 0;
            out[k].push_back(claim.sectors[i].comm_r);
            for (u32 n = 0; n < kWindowChallenges; ++n) out[k].push_back(leaf(claim.sectors[i], first + n));
        }
    });
    return out;
}

}  // namespace

CircuitKind circuit_of(const Claim& claim) {
    struct Kind {
        CircuitKind operator()(const PorepClaim&) const { return CircuitKind::kPorep; }
        CircuitKind operator()(const UpdateClaim&) const { return CircuitKind::kUpdate; }
        CircuitKind operator()(const PostClaim& c) const {
            return c.winning ? CircuitKind::kWinningPost : CircuitKind::kWindowPost;
        }
    };
    return std::visit(Kind{}, claim);
}

const SectorShape& shape_of(const Claim& claim) {
    return std::visit([](const auto& c) -> const SectorShape& { return c.shape; }, claim);
}

std::vector<std::vector<Fr>> public_inputs(const Claim& claim) {
    return std::visit([](const auto& c) { return inputs_of(c); }, claim);
}

bool is_claim(std::span<const u8> json) {
    const std::string_view text(reinterpret_cast<const char*>(json.data()), json.size());
    for (const std::string_view key : {"\"vanilla_proof", "\"vanillaProof", "\"Phase1Out\""})
        if (text.find(key) != std::string_view::npos) return false;
    return true;
}

}  // namespace cuzk::filecoin
