#include "filecoin/circuits/porep.hpp"
#include "filecoin/circuits/post.hpp"
#include "filecoin/circuits/update.hpp"

namespace cuzk::filecoin {

namespace {

MerklePath blank_path(const std::vector<u32>& arities) {
    MerklePath path;
    for (const u32 arity : arities) path.levels.push_back({std::vector<Fr>(arity - 1), 0});
    return path;
}

std::vector<u32> binary_arities(const SectorShape& shape) {
    return std::vector<u32>(shape.log_nodes(), 2);
}

}  // namespace

PostPartition blank_post(const SectorShape& shape, u32 slots, u32 challenges) {
    PostSector sector;
    sector.challenges.assign(challenges, {Fr(), blank_path(shape.tree_arities())});
    return {std::vector<PostSector>(slots, sector)};
}

PorepPartition blank_porep(const SectorShape& shape) {
    const MerklePath tree = blank_path(shape.tree_arities());
    PorepChallenge c;
    c.data_path = blank_path(binary_arities(shape));
    c.parents.assign(kDrgParents + kExpanderParents, {std::vector<Fr>(shape.layers), tree});
    c.replica_path = tree;
    c.column_path = tree;
    PorepPartition p;
    p.layers = shape.layers;
    p.challenges.assign(shape.porep_challenges, c);
    return p;
}

UpdatePartition blank_update(const SectorShape& shape) {
    const MerklePath tree = blank_path(shape.tree_arities());
    UpdateChallenge c;
    c.old_path = tree;
    c.new_path = tree;
    c.data_path = blank_path(binary_arities(shape));
    UpdatePartition p;
    p.apex_leaves.resize(shape.update_apex_leaves);
    p.partition_path =
        blank_path(std::vector<u32>(update_detail::log2_of(shape.update_partitions), 2)).levels;
    p.challenges.assign(shape.update_challenges, c);
    return p;
}

}  // namespace cuzk::filecoin
