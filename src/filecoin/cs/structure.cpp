#include "filecoin/cs/structure.hpp"

#include "base/error.hpp"

namespace cuzk::filecoin {

namespace {

void push_row(SparseRows& rows, const LinearCombination& normalised, CoefficientTable<Fr>& table) {
    for (const auto& term : normalised.terms())
        rows.entries.push_back({term.var, table.intern(term.coefficient)});
    rows.ends.push_back(static_cast<u32>(rows.entries.size()));
}

}  // namespace

Num StructureBuilder::alloc_input(const Fr& /*value*/) {
    if (recording_ != nullptr)
        throw Error(ErrorKind::kInternal, "a public input was allocated inside a block");
    return {Var::input(out_.inputs++), {}};
}

void StructureBuilder::push_kind(bool is_bit) {
    if (out_.aux % 64 == 0) out_.aux_is_bit.push_back(0);
    if (is_bit) out_.aux_is_bit.back() |= u64{1} << (out_.aux % 64);
    ++out_.aux;
}

Var StructureBuilder::new_aux(bool is_bit) {
    if (recording_ != nullptr) {
        recording_->local_is_bit.push_back(is_bit);
        return Var::aux(recording_->locals++);
    }
    push_kind(is_bit);
    return Var::aux(out_.aux - 1);
}

void StructureBuilder::enforce(LinearCombination a, LinearCombination b, LinearCombination c) {
    a.normalise();
    b.normalise();
    c.normalise();
    auto& target = recording_ != nullptr ? recording_->matrices : out_.glue;
    push_row(target[kA], a, out_.coefficients);
    push_row(target[kB], b, out_.coefficients);
    push_row(target[kC], c, out_.coefficients);
    if (recording_ != nullptr) return;
    if (out_.segments.empty() || out_.segments.back().block != Segment::kGlue)
        out_.segments.push_back({.block = Segment::kGlue,
                                 .rows = 0,
                                 .first_row = out_.constraints,
                                 .first_aux = 0,
                                 .first_glue = static_cast<u32>(out_.glue[kA].rows() - 1),
                                 .first_param = 0});
    ++out_.segments.back().rows;
    ++out_.constraints;
}

StructureBuilder::Call StructureBuilder::open_call(std::string_view key, const Ports& in) const {
    Call call;
    call.key.reserve(key.size() + in.bits.size() + in.nums.size() + 8);
    call.key = key;
    call.key += '|';
    // A variable that enters twice must be one parameter, so that merged rows stay merged: repeats are part of the key.
    std::unordered_map<u32, u32> seen;
    const auto parameter = [&](Var v) {
        if (in.bits.size() + in.nums.size() <= 16) {
            for (u32 i = 0; i < call.actual.size(); ++i)
                if (call.actual[i] == v.raw()) return std::pair{i, false};
        } else {
            const auto [it, fresh] = seen.emplace(v.raw(), static_cast<u32>(call.actual.size()));
            if (!fresh) return std::pair{it->second, false};
        }
        call.actual.push_back(v.raw());
        return std::pair{static_cast<u32>(call.actual.size() - 1), true};
    };
    const auto mark = [&](const std::pair<u32, bool>& p) {
        if (!p.second) call.key += '=' + std::to_string(p.first) + ';';
    };
    for (const Bit& b : in.bits) {
        if (b.is_constant()) {
            call.key += b.value ? '1' : '0';
            call.formal.bits.push_back(b);
            continue;
        }
        call.key += b.kind == Bit::Kind::kIs ? 'x' : 'n';
        const auto p = parameter(b.var);
        mark(p);
        call.formal.bits.push_back({b.kind, false, Var::param(p.first)});
    }
    for (const Num& n : in.nums) {
        call.key += 'f';
        const auto p = parameter(n.var);
        mark(p);
        call.formal.nums.push_back({Var::param(p.first), {}});
    }
    const auto it = known_.find(call.key);
    if (it != known_.end()) call.block = it->second;
    return call;
}

u32 StructureBuilder::begin_recording(const Call& call) {
    recording_ = std::make_unique<BlockTemplate>();
    recording_->key = call.key;
    recording_->params = static_cast<u32>(call.actual.size());
    return static_cast<u32>(out_.blocks.size());
}

void StructureBuilder::end_recording(const Ports& out) {
    known_.emplace(recording_->key, static_cast<u32>(out_.blocks.size()));
    out_.blocks.push_back(std::move(*recording_));
    block_outputs_.push_back(out);
    recording_.reset();
}

Ports StructureBuilder::add_instance(const Call& call) {
    const BlockTemplate& block = out_.blocks[call.block];
    const Segment segment{.block = call.block,
                          .rows = static_cast<u32>(block.rows()),
                          .first_row = out_.constraints,
                          .first_aux = out_.aux,
                          .first_glue = 0,
                          .first_param = out_.params.size()};
    out_.segments.push_back(segment);
    out_.params.insert(out_.params.end(), call.actual.begin(), call.actual.end());
    for (const bool is_bit : block.local_is_bit) push_kind(is_bit);
    out_.constraints += block.rows();

    Ports out = block_outputs_[call.block];
    for (Bit& b : out.bits)
        if (!b.is_constant()) b.var = out_.resolve(segment, b.var);
    for (Num& n : out.nums) n.var = out_.resolve(segment, n.var);
    return out;
}

InstancedR1cs StructureBuilder::finish() {
    known_.clear();
    block_outputs_.clear();
    InstancedR1cs result = std::move(out_);
    out_ = InstancedR1cs();
    return result;
}

}  // namespace cuzk::filecoin
