#include "base/parallel.hpp"
#include "filecoin/native/hash.hpp"
#include "filecoin/vanilla/c1.hpp"

namespace cuzk::filecoin {

namespace {

// Labels of the challenged node in all layers, from its parents' columns.
std::vector<Fr> labels_of(const PorepPartition& p, const PorepChallenge& c) {
    std::vector<Fr> labels;
    for (u32 layer = 1; layer <= p.layers; ++layer) {
        std::vector<Fr> parents;
        for (u32 i = 0; i < kDrgParents; ++i) parents.push_back(c.parents[i].column[layer - 1]);
        for (u32 i = kDrgParents; layer > 1 && i < c.parents.size(); ++i)
            parents.push_back(c.parents[i].column[layer - 2]);
        std::vector<Fr> hashed;
        for (u32 i = 0; i < kLabelParents; ++i) hashed.push_back(parents[i % parents.size()]);
        labels.push_back(stacked_label(p.replica_id, layer, c.node, hashed));
    }
    return labels;
}

void check_challenge(const PorepPartition& p, const PorepChallenge& c, const std::string& where) {
    const auto refuse = [&](const std::string& what) {
        throw Error(ErrorKind::kUnsatisfied, where + ": " + what);
    };
    for (const auto* path : {&c.data_path, &c.replica_path, &c.column_path})
        if (leaf_index(*path) != c.node)
            refuse("a Merkle path is for leaf " + std::to_string(leaf_index(*path)) +
                   ", the challenge is node " + std::to_string(c.node));
    if (!(merkle_root(TreeHasher::kSha256, c.data_leaf, c.data_path) == p.comm_d))
        refuse("comm_d_proofs does not lead to comm_d");
    for (std::size_t i = 0; i < c.parents.size(); ++i)
        if (!(merkle_root(TreeHasher::kPoseidon, poseidon(c.parents[i].column), c.parents[i].path) ==
              p.comm_c))
            refuse("the column of parent " + std::to_string(i) + " does not lead to the root of tree C");
    const std::vector<Fr> labels = labels_of(p, c);
    if (!(merkle_root(TreeHasher::kPoseidon, poseidon(labels), c.column_path) == p.comm_c))
        refuse("the labels that its parents imply do not lead to the root of tree C");
    if (!(merkle_root(TreeHasher::kPoseidon, labels.back() + c.data_leaf, c.replica_path) == p.comm_r_last))
        refuse("the encoded node does not lead to the root of tree R");
}

}  // namespace

void check_porep(const PorepPartition& p, const std::string& name) {
    if (!(replica_commitment(p.comm_c, p.comm_r_last) == p.comm_r))
        throw Error(ErrorKind::kUnsatisfied, name + ": comm_r is not the hash of the roots of trees C and R");
    parallel_for(0, p.challenges.size(), [&](std::size_t i) {
        check_challenge(p, p.challenges[i], name + ", challenge " + std::to_string(i));
    });
}

}  // namespace cuzk::filecoin
