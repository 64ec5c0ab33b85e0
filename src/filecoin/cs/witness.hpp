// Witness mode of circuit code: computes values only, into the compact witness, where a bit takes a bit.
#pragma once

#include <string_view>
#include <vector>

#include "base/parallel.hpp"
#include "filecoin/cs/structure.hpp"
#include "r1cs/compact_witness.hpp"

namespace cuzk::filecoin {

using CompactWitness = cuzk::CompactWitness<Fr>;

// The other model of the constraint-system concept (see StructureBuilder).
class WitnessBuilder {
public:
    static constexpr bool kStructure = false;

    Num alloc_num(const Fr& value) {
        witness_.nums.push_back(value);
        return {{}, value};
    }
    Num alloc_input(const Fr& value) {
        witness_.inputs.push_back(value);
        return {{}, value};
    }
    Bit new_bit(bool value) {
        witness_.bits.append(value ? 1 : 0, 1);
        return {Bit::Kind::kIs, value, {}};
    }
    // `count` bit variables at once, lowest bit first.
    void new_bits(u64 value, unsigned count) { witness_.bits.append(value, count); }

    template <class Body>
    Ports block(std::string_view /*key*/, const Ports& in, const Body& body) {
        return body(in);
    }

    // Runs the parts in parallel, each into a builder of its own, and joins the results in order.
    template <class Body>
    void for_each(std::size_t count, const Body& body) {
        std::vector<WitnessBuilder> parts(count);
        for (WitnessBuilder& part : parts) part.witness_.inputs.clear();
        parallel_for(0, count, [&](std::size_t i) { body(parts[i], i); });
        for (WitnessBuilder& part : parts) {
            append(part.witness_);
            part.witness_ = CompactWitness();
        }
    }

    CompactWitness finish() { return std::move(witness_); }

private:
    void append(const CompactWitness& part);

    CompactWitness witness_;
};

}  // namespace cuzk::filecoin
