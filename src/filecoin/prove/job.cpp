#include "filecoin/prove/job.hpp"

#include "filecoin/vanilla/c1.hpp"
#include "filecoin/vanilla/post.hpp"
#include "filecoin/vanilla/registered.hpp"
#include "filecoin/vanilla/update.hpp"

namespace cuzk::filecoin {

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& reason) {
    throw Error(ErrorKind::kMalformed, name + ": " + reason);
}

SectorShape shape_of(const ProofRequest& r) {
    return sector_shape(r.sector_size != 0 ? r.sector_size : size_of_registered(r.registered_proof));
}

std::span<const u8, 32> bytes32(const std::vector<u8>& bytes, const std::string& where) {
    if (bytes.size() != 32) refuse(where, "has " + std::to_string(bytes.size()) + " bytes instead of 32");
    return std::span<const u8, 32>(bytes.data(), 32);
}

std::string blob_name(const std::string& name, std::size_t i) {
    return name + ": vanilla proof " + std::to_string(i);
}

void prepare_porep(const ProofRequest& r, const std::string& name, ProofJob& job) {
    if (r.vanilla_proof.empty()) refuse(name, "vanilla_proof is missing");
    C1Output c1 = decode_c1(r.vanilla_proof, name + ": vanilla_proof");
    if (r.sector_size != 0 && r.sector_size != c1.sector_size)
        refuse(name, "sector_size is " + sector_size_name(r.sector_size) +
                         ", the vanilla proof is of a sector of " + sector_size_name(c1.sector_size));
    job.circuit = CircuitKind::kPorep;
    job.shape = sector_shape(c1.sector_size);
    for (std::size_t k = 0; k < c1.partitions.size(); ++k) {
        check_porep(c1.partitions[k], name + ": partition " + std::to_string(k));
        job.partitions.emplace_back(std::move(c1.partitions[k]));
    }
}

void prepare_update(const ProofRequest& r, const std::string& name, ProofJob& job) {
    job.circuit = CircuitKind::kUpdate;
    job.shape = shape_of(r);
    if (r.vanilla_proofs.size() != job.shape.update_partitions)
        refuse(name, "holds " + std::to_string(r.vanilla_proofs.size()) +
                         " vanilla proofs, an update of this size has " +
                         std::to_string(job.shape.update_partitions) + " partitions");
    const auto commitment = [&](const std::vector<u8>& bytes, const char* field) {
        return field_element(bytes32(bytes, name + ": " + field), name + ": " + field);
    };
    const UpdateCommitments commitments{commitment(r.comm_r_old, "comm_r_old"),
                                        commitment(r.comm_d_new, "comm_d_new"),
                                        commitment(r.comm_r_new, "comm_r_new")};
    for (std::size_t k = 0; k < r.vanilla_proofs.size(); ++k) {
        const std::string where = blob_name(name, k);
        UpdatePartition p =
            decode_update_vanilla(r.vanilla_proofs[k], where, job.shape, static_cast<u32>(k), commitments);
        check_update_vanilla(p, where, job.shape);
        job.partitions.emplace_back(std::move(p));
    }
}

void prepare_window(const ProofRequest& r, const std::string& name, ProofJob& job) {
    job.circuit = CircuitKind::kWindowPost;
    job.shape = shape_of(r);
    const auto randomness = bytes32(r.randomness, name + ": randomness");
    field_element(randomness, name + ": randomness");
    if (r.vanilla_proofs.empty()) refuse(name, "vanilla_proofs is empty");
    const std::size_t slots = job.shape.window_slots;
    std::vector<PostVanilla> sectors(r.vanilla_proofs.size());
    parallel_for(0, sectors.size(), [&](std::size_t i) {
        const std::string where = blob_name(name, i);
        sectors[i] = decode_post_vanilla(r.vanilla_proofs[i], where, job.shape, kWindowChallenges);
        const u64 place = u64{r.partition_index} * slots + i;
        check_post_vanilla(sectors[i], where, job.shape, randomness,
                           has_running_challenges(r.registered_proof) ? place * kWindowChallenges : 0);
    });
    for (std::size_t first = 0; first < sectors.size(); first += slots) {
        PostPartition partition;
        for (std::size_t slot = 0; slot < slots; ++slot)
            partition.slots.push_back(sectors[std::min(first + slot, sectors.size() - 1)].sector);
        job.partitions.emplace_back(std::move(partition));
    }
}

void prepare_winning(const ProofRequest& r, const std::string& name, ProofJob& job) {
    job.circuit = CircuitKind::kWinningPost;
    job.shape = shape_of(r);
    const auto randomness = bytes32(r.randomness, name + ": randomness");
    field_element(randomness, name + ": randomness");
    if (r.vanilla_proofs.size() != 1)
        refuse(name,
               "holds " + std::to_string(r.vanilla_proofs.size()) + " vanilla proofs, a WinningPoSt has one");
    const std::string where = blob_name(name, 0);
    PostVanilla v = decode_post_vanilla(r.vanilla_proofs[0], where, job.shape, kWinningSlots);
    check_post_vanilla(v, where, job.shape, randomness, 0);
    // The circuit is one slot a challenge, each with the same sector.
    PostPartition partition;
    for (auto& challenge : v.sector.challenges) {
        PostSector slot{v.sector.comm_r, v.sector.comm_c, v.sector.comm_r_last, {}};
        slot.challenges.push_back(std::move(challenge));
        partition.slots.push_back(std::move(slot));
    }
    job.partitions.emplace_back(std::move(partition));
}

}  // namespace

CompactWitness ProofJob::witness(std::size_t partition) const {
    struct Make {
        const SectorShape& shape;
        CompactWitness operator()(const PorepPartition& p) const { return make_witness(p); }
        CompactWitness operator()(const UpdatePartition& p) const { return make_witness(shape, p); }
        CompactWitness operator()(const PostPartition& p) const { return make_witness(p); }
    };
    return std::visit(Make{shape}, partitions[partition]);
}

ProofJob prepare(const ProofRequest& request, const std::string& name) {
    ProofJob job;
    switch (request.kind) {
        case ProofKind::kPorepSealCommit: prepare_porep(request, name, job); break;
        case ProofKind::kSnapDealsUpdate: prepare_update(request, name, job); break;
        case ProofKind::kWindowPost: prepare_window(request, name, job); break;
        case ProofKind::kWinningPost: prepare_winning(request, name, job); break;
    }
    return job;
}

}  // namespace cuzk::filecoin
