#include "filecoin/simulate/c1_writer.hpp"

#include <string_view>

namespace cuzk::filecoin {

namespace {

class Json {
public:
    void text(std::string_view s) { out_.insert(out_.end(), s.begin(), s.end()); }
    void number(u64 x) { text(std::to_string(x)); }
    void bytes(std::span<const u8> b) {
        text("[");
        for (std::size_t i = 0; i < b.size(); ++i) {
            if (i != 0) text(",");
            number(b[i]);
        }
        text("]");
    }
    void element(const Fr& x) {
        std::array<u8, 32> b{};
        x.to_bytes_le(b);
        bytes(b);
    }
    // [item, item, ...]
    template <class Range, class Write>
    void list(const Range& range, const Write& write) {
        text("[");
        bool first = true;
        for (const auto& item : range) {
            if (!first) text(",");
            first = false;
            write(item);
        }
        text("]");
    }
    void elements(std::span<const Fr> values) {
        list(values, [this](const Fr& x) { element(x); });
    }
    std::vector<u8> take() { return std::move(out_); }

private:
    std::vector<u8> out_;
};

class Writer {
public:
    Writer(const SimulatedC1& c1, const SectorShape& shape, const SimulatedTrees& trees)
        : c1_(c1), shape_(shape), trees_(trees) {}

    std::vector<u8> run() {
        json_.text("{\"registered_proof\":\"" + c1_.registered_proof + "\",\"vanilla_proofs\":{\"" +
                   c1_.base_name + "\":");
        json_.list(c1_.partitions, [this](const auto& partition) {
            json_.list(partition, [this](const auto& c) { challenge(c); });
        });
        json_.text("},\"comm_r\":");
        json_.element(c1_.comm_r);
        json_.text(",\"comm_d\":");
        json_.element(c1_.comm_d);
        json_.text(",\"replica_id\":");
        json_.element(c1_.replica_id);
        json_.text(",\"seed\":");
        json_.bytes(c1_.seed);
        json_.text(",\"ticket\":");
        json_.bytes(c1_.ticket);
        json_.text("}");
        return json_.take();
    }

private:
    void path(std::span<const MerklePath::Level> levels) {
        json_.text("{\"path\":");
        json_.list(levels, [this](const MerklePath::Level& level) {
            json_.text("{\"hashes\":");
            json_.elements(level.siblings);
            json_.text(",\"index\":");
            json_.number(level.index);
            json_.text("}");
        });
        json_.text("}");
    }

    void merkle_proof(const SimulatedTree& tree, u64 leaf, const TreeShape& shape) {
        const MerklePath whole = tree.path(leaf);
        const std::span<const MerklePath::Level> levels(whole.levels);
        const auto ends = [&] {
            json_.text("\"root\":");
            json_.element(tree.root());
            json_.text(",\"leaf\":");
            json_.element(tree.leaf(leaf));
        };
        json_.text("{\"data\":{");
        const std::size_t upper = (shape.sub != 0 ? 1u : 0u) + (shape.top != 0 ? 1u : 0u);
        if (upper == 0) {
            json_.text("\"Single\":{");
            ends();
            json_.text(",\"path\":");
            path(levels);
        } else {
            json_.text(upper == 1 ? "\"Sub\":{\"base_proof\":" : "\"Top\":{\"base_proof\":");
            path(levels.first(levels.size() - upper));
            json_.text(",\"sub_proof\":");
            path(levels.subspan(levels.size() - upper, 1));
            if (upper == 2) {
                json_.text(",\"top_proof\":");
                path(levels.last(1));
            }
            json_.text(",");
            ends();
        }
        json_.text("}}}");
    }

    void column(u64 node, const std::vector<Fr>& labels) {
        json_.text("{\"column\":{\"index\":");
        json_.number(node);
        json_.text(",\"rows\":");
        json_.elements(labels);
        json_.text(",\"_h\":null},\"inclusion_proof\":");
        merkle_proof(trees_.column, node, shape_.tree);
        json_.text("}");
    }

    void labeling(u64 node, u32 layer) {
        const u32 cycle = layer == 1 ? kDrgParents : kDrgParents + kExpanderParents;
        std::vector<Fr> parents;
        for (u32 i = 0; i < kLabelParents; ++i)
            parents.push_back(i % cycle < kDrgParents ? c1_.column[layer - 1] : c1_.column[layer - 2]);
        json_.text("{\"parents\":");
        json_.elements(parents);
        json_.text(",\"layer_index\":");
        json_.number(layer);
        json_.text(",\"node\":");
        json_.number(node);
        json_.text("}");
    }

    void challenge(const SimulatedC1::Challenge& c) {
        json_.text("{\"comm_d_proofs\":");
        merkle_proof(trees_.data, c.node, TreeShape{2, 0, 0});
        json_.text(",\"comm_r_last_proof\":");
        merkle_proof(trees_.replica, c.node, shape_.tree);
        json_.text(",\"replica_column_proofs\":{\"c_x\":");
        column(c.node, c1_.labels.at(c.node));
        const auto parent = [this](u64 node) { column(node, c1_.column); };
        json_.text(",\"drg_parents\":");
        json_.list(std::span(c.parents).first(kDrgParents), parent);
        json_.text(",\"exp_parents\":");
        json_.list(std::span(c.parents).subspan(kDrgParents), parent);
        json_.text("},\"labeling_proofs\":[");
        for (u32 layer = 1; layer <= shape_.layers; ++layer) {
            if (layer != 1) json_.text(",");
            labeling(c.node, layer);
        }
        json_.text("],\"encoding_proof\":");
        labeling(c.node, shape_.layers);
        json_.text("}");
    }

    const SimulatedC1& c1_;
    const SectorShape& shape_;
    const SimulatedTrees& trees_;
    Json json_;
};

}  // namespace

std::vector<u8> write_c1(const SimulatedC1& c1, const SectorShape& shape, const SimulatedTrees& trees) {
    return Writer(c1, shape, trees).run();
}

}  // namespace cuzk::filecoin
