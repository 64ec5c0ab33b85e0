#include "filecoin/simulate/tree.hpp"

#include <bit>

namespace cuzk::filecoin {

SimulatedTree::SimulatedTree(TreeHasher hasher, std::vector<u32> arities, std::vector<Fr> segments,
                             const std::map<u64, Fr>& special)
    : hasher_(hasher), arities_(std::move(arities)) {
    span_bits_.push_back(0);
    for (const u32 arity : arities_)
        span_bits_.push_back(span_bits_.back() + static_cast<unsigned>(std::countr_zero(arity)));
    segment_bits_ = span_bits_.back() - static_cast<unsigned>(std::countr_zero(segments.size()));

    uniform_.push_back(std::move(segments));
    explicit_.resize(arities_.size() + 1);
    for (std::size_t level = 1; level <= arities_.size(); ++level) {
        if (span_bits(level) <= segment_bits_) {
            auto& row = uniform_.emplace_back(uniform_[level - 1].size());
            parallel_for(0, row.size(), [&](std::size_t s) {
                const std::vector<Fr> children(arities_[level - 1], uniform_[level - 1][s]);
                row[s] = hasher_ == TreeHasher::kSha256 ? native_sha256_pair(children[0], children[1])
                                                        : poseidon(children);
            });
        } else {
            auto& row = explicit_[level];
            row.resize(std::size_t{1} << (span_bits_.back() - span_bits(level)));
            parallel_for(0, row.size(), [&](std::size_t i) { row[i] = parent(level, i); });
        }
    }
    special_.resize(arities_.size() + 1);
    special_[0] = special;
    for (std::size_t level = 1; level <= arities_.size(); ++level) {
        std::vector<u64> changed;
        for (const auto& [index, value] : special_[level - 1])
            if (changed.empty() || changed.back() != index / arities_[level - 1])
                changed.push_back(index / arities_[level - 1]);
        std::vector<Fr> values(changed.size());
        parallel_for(0, changed.size(), [&](std::size_t i) { values[i] = parent(level, changed[i]); });
        for (std::size_t i = 0; i < changed.size(); ++i) special_[level].emplace(changed[i], values[i]);
    }
}

Fr SimulatedTree::node(std::size_t level, u64 index) const {
    if (level < special_.size()) {
        const auto it = special_[level].find(index);
        if (it != special_[level].end()) return it->second;
    }
    if (span_bits(level) <= segment_bits_)
        return uniform_[level][index >> (segment_bits_ - span_bits(level))];
    return explicit_[level][index];
}

Fr SimulatedTree::parent(std::size_t level, u64 index) const {
    const u32 arity = arities_[level - 1];
    std::vector<Fr> children;
    for (u32 i = 0; i < arity; ++i) children.push_back(node(level - 1, index * arity + i));
    return hasher_ == TreeHasher::kSha256 ? native_sha256_pair(children[0], children[1]) : poseidon(children);
}

MerklePath SimulatedTree::path(u64 leaf) const {
    MerklePath out;
    u64 index = leaf;
    for (std::size_t level = 0; level < arities_.size(); ++level) {
        const u32 arity = arities_[level];
        const u64 first = index / arity * arity;
        MerklePath::Level step;
        step.index = static_cast<u32>(index - first);
        for (u32 i = 0; i < arity; ++i)
            if (first + i != index) step.siblings.push_back(node(level, first + i));
        out.levels.push_back(std::move(step));
        index /= arity;
    }
    return out;
}

}  // namespace cuzk::filecoin
