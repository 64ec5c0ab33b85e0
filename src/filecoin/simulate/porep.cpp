#include <set>

#include "filecoin/simulate/c1_writer.hpp"
#include "filecoin/simulate/sector.hpp"
#include "filecoin/vanilla/challenges.hpp"

namespace cuzk::filecoin {

namespace {

// Nodes that are no challenges, to serve as parents.
std::vector<u64> pick_parents(const std::set<u64>& challenged, u64 node, u64 nodes) {
    std::vector<u64> out;
    for (u64 i = node; out.size() < kDrgParents + kExpanderParents;) {
        i = (i + nodes - 1) % nodes;
        if (!challenged.contains(i)) out.push_back(i);
    }
    return out;
}

}  // namespace

ProofRequest simulate_porep(const SectorShape& shape, const SimulateOptions& options) {
    SeededRandom random(options.seed);
    SimulatedC1 c1;
    const std::string suffix = options.non_interactive ? "V1_2_Feat_NonInteractivePoRep"
                               : options.synthetic     ? "V1_1_Feat_SyntheticPoRep"
                                                       : "V1_1";
    c1.base_name = "StackedDrg" + sector_size_name(shape.bytes) + "V1";
    c1.registered_proof = "StackedDrg" + sector_size_name(shape.bytes) + suffix;
    random.fill(c1.seed);
    random.fill(c1.ticket);
    c1.replica_id = Fr::random(random);
    const Fr data = Fr::random(random);
    std::vector<Fr> column(shape.layers);
    for (Fr& label : column) label = Fr::random(random);

    const u32 partitions = options.non_interactive ? shape.ni_partitions : shape.porep_partitions;
    std::vector<u64> challenges;
    std::set<u64> challenged;
    for (u32 j = 0; j < partitions * shape.porep_challenges; ++j) {
        const u64 node = interactive_challenge(c1.replica_id, c1.seed, j, shape.nodes());
        challenges.push_back(node);
        challenged.insert(node);
    }

    // Labels of challenged nodes follow from their parents, whose columns are all the same.
    std::map<u64, Fr> column_leaves, replica_leaves;
    for (const u64 node : challenged) {
        auto& labels = c1.labels[node];
        for (u32 layer = 1; layer <= shape.layers; ++layer) {
            std::vector<Fr> parents;
            const u32 cycle = layer == 1 ? kDrgParents : kDrgParents + kExpanderParents;
            for (u32 i = 0; i < kLabelParents; ++i)
                parents.push_back(i % cycle < kDrgParents ? column[layer - 1] : column[layer - 2]);
            labels.push_back(stacked_label(c1.replica_id, layer, node, parents));
        }
        column_leaves[node] = poseidon(labels);
        replica_leaves[node] = labels.back() + data;
    }
    const SimulatedTree data_tree(TreeHasher::kSha256, std::vector<u32>(shape.log_nodes(), 2), {data});
    const SimulatedTree column_tree(TreeHasher::kPoseidon, shape.tree_arities(), {poseidon(column)},
                                    column_leaves);
    const SimulatedTree replica_tree(TreeHasher::kPoseidon, shape.tree_arities(), {column.back() + data},
                                     replica_leaves);
    c1.comm_d = data_tree.root();
    c1.comm_r = replica_commitment(column_tree.root(), replica_tree.root());
    c1.column = column;

    for (u32 k = 0; k < partitions; ++k) {
        auto& list = c1.partitions.emplace_back();
        for (u32 i = 0; i < shape.porep_challenges; ++i) {
            const u64 node = challenges[k * shape.porep_challenges + i];
            list.push_back({node, pick_parents(challenged, node, shape.nodes())});
        }
    }

    ProofRequest r;
    r.request_id = "simulated-porep-" + sector_size_name(shape.bytes);
    r.kind = ProofKind::kPorepSealCommit;
    r.sector_size = shape.bytes;
    r.miner_id = 1000;
    r.sector_number = 1;
    r.vanilla_proof = write_c1(c1, shape, {data_tree, column_tree, replica_tree});
    return r;
}

}  // namespace cuzk::filecoin
