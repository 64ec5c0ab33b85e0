// Structure mode of circuit code: records constraints, in templates where blocks repeat. Values are ignored.
#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>

#include "filecoin/cs/refs.hpp"
#include "r1cs/instanced.hpp"

namespace cuzk::filecoin {

using InstancedR1cs = cuzk::InstancedR1cs<Fr>;

// What goes into and comes out of a block.
struct Ports {
    Bits bits;
    std::vector<Num> nums;
};

// The constraint-system concept that gadgets are written against; WitnessBuilder is its other model. Gadget code calls
// enforce() only under `if constexpr (CS::kStructure)`. Not thread-safe.
class StructureBuilder {
public:
    static constexpr bool kStructure = true;

    StructureBuilder() = default;

    Num alloc_num(const Fr& /*value*/) { return {new_aux(false), {}}; }
    Num alloc_input(const Fr& /*value*/);
    // A variable that is 0 or 1 in every satisfying witness; whoever allocates it emits the row that makes it so.
    Bit new_bit(bool /*value*/) { return {Bit::Kind::kIs, false, new_aux(true)}; }

    void enforce(LinearCombination a, LinearCombination b, LinearCombination c);

    // Runs `body` on the ports, or, where the same key has been recorded with the same pattern of constants and repeated
    // ports, adds an instance of the recording. `body` must depend on nothing but its ports and the key. Blocks inside
    // blocks are recorded inline.
    template <class Body>
    Ports block(std::string_view key, const Ports& in, const Body& body) {
        if (recording_ != nullptr) return body(in);
        Call call = open_call(key, in);
        if (call.block == kUnknown) {
            call.block = begin_recording(call);
            const Ports out = body(call.formal);
            end_recording(out);
        }
        return add_instance(call);
    }

    // Independent parts that follow each other in the constraint system.
    template <class Body>
    void for_each(std::size_t count, const Body& body) {
        for (std::size_t i = 0; i < count; ++i) body(*this, i);
    }

    // The finished system; the builder is empty afterwards.
    InstancedR1cs finish();

private:
    static constexpr u32 kUnknown = 0xffffffff;
    struct Call {
        std::string key;
        Ports formal;             // ports with parameters in place of variables
        std::vector<u32> actual;  // raw Var of each parameter
        u32 block = kUnknown;
    };

    Var new_aux(bool is_bit);
    Call open_call(std::string_view key, const Ports& in) const;
    u32 begin_recording(const Call& call);
    void end_recording(const Ports& out);
    Ports add_instance(const Call& call);
    void push_kind(bool is_bit);

    InstancedR1cs out_;
    std::unique_ptr<BlockTemplate> recording_;
    std::vector<Ports> block_outputs_;
    std::unordered_map<std::string, u32> known_;
};

}  // namespace cuzk::filecoin
