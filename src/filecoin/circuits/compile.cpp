#include "filecoin/circuits/compile.hpp"

#include "filecoin/circuits/porep.hpp"
#include "filecoin/circuits/post.hpp"
#include "filecoin/circuits/update.hpp"

namespace cuzk::filecoin {

const char* circuit_name(CircuitKind kind) {
    switch (kind) {
        case CircuitKind::kPorep: return "porep";
        case CircuitKind::kUpdate: return "update";
        case CircuitKind::kWindowPost: return "window-post";
        case CircuitKind::kWinningPost: return "winning-post";
    }
    return "unknown";
}

InstancedR1cs compile_circuit(CircuitKind kind, const SectorShape& shape) {
    StructureBuilder cs;
    switch (kind) {
        case CircuitKind::kPorep: synthesize(cs, blank_porep(shape)); break;
        case CircuitKind::kUpdate: synthesize(cs, shape, blank_update(shape)); break;
        case CircuitKind::kWindowPost:
            synthesize(cs, blank_post(shape, shape.window_slots, kWindowChallenges));
            break;
        case CircuitKind::kWinningPost: synthesize(cs, blank_post(shape, kWinningSlots, 1)); break;
    }
    return cs.finish();
}

namespace {

// Variables of a template that occur in one matrix, each once.
std::vector<Var> columns_of(const SparseRows& rows, u32 params, u32 locals) {
    std::vector<bool> param_seen(params), local_seen(locals);
    std::vector<Var> out;
    bool one_seen = false;
    for (const auto& e : rows.entries) {
        if (e.var.is_input()) {
            if (!one_seen) out.push_back(e.var);
            one_seen = true;
            continue;
        }
        auto&& seen = e.var.is_param() ? param_seen[e.var.index()] : local_seen[e.var.index()];
        if (!seen) out.push_back(e.var);
        seen = true;
    }
    return out;
}

}  // namespace

ColumnDensity column_density(const InstancedR1cs& r1cs) {
    ColumnDensity d{DensityBits(r1cs.aux), DensityBits(r1cs.aux), DensityBits(r1cs.inputs)};
    const auto mark_a = [&](Var v) {
        if (!v.is_input()) d.a_aux.set(v.index());
    };
    const auto mark_b = [&](Var v) { v.is_input() ? d.b_inputs.set(v.index()) : d.b_aux.set(v.index()); };
    for (const auto& e : r1cs.glue[kA].entries) mark_a(e.var);
    for (const auto& e : r1cs.glue[kB].entries) mark_b(e.var);

    std::vector<std::array<std::vector<Var>, 2>> columns;
    for (const BlockTemplate& block : r1cs.blocks)
        columns.push_back({columns_of(block.matrices[kA], block.params, block.locals),
                           columns_of(block.matrices[kB], block.params, block.locals)});
    for (const Segment& s : r1cs.segments) {
        if (s.block == Segment::kGlue) continue;
        for (const Var v : columns[s.block][0]) mark_a(r1cs.resolve(s, v));
        for (const Var v : columns[s.block][1]) mark_b(r1cs.resolve(s, v));
    }
    return d;
}

}  // namespace cuzk::filecoin
