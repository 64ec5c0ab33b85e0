// Witness mode of circuit code: computes values only, into the compact witness, where a bit takes a bit.
#pragma once

#include <algorithm>
#include <span>
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

    // Runs the parts in parallel, each into a builder of its own, and joins the results in order. In waves, which use the same
    // builders again, so that memory holds little beside the whole.
    template <class Body>
    void for_each(std::size_t count, const Body& body) {
        constexpr std::size_t kPartsPerThread = 4;
        std::vector<WitnessBuilder> parts(std::min(count, kPartsPerThread * thread_count()));
        for (std::size_t first = 0; first < count; first += parts.size()) {
            const auto wave = std::span(parts).first(std::min(parts.size(), count - first));
            parallel_for(0, wave.size(), [&](std::size_t i) {
                wave[i].clear();
                body(wave[i], first + i);
            });
            append(wave, count - first);
        }
    }

    CompactWitness finish() { return std::move(witness_); }

private:
    void clear();
    // The parts' values; `expected` parts like these are still to come, these included.
    void append(std::span<const WitnessBuilder> parts, std::size_t expected);

    CompactWitness witness_;
};

}  // namespace cuzk::filecoin
