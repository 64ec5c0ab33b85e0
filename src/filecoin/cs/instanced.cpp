#include "filecoin/cs/instanced.hpp"

#include <algorithm>
#include <bit>

namespace cuzk::filecoin {

void SparseRows::push(const LinearCombination& normalised, CoefficientTable& table) {
    for (const auto& term : normalised.terms()) entries.push_back({term.var, table.intern(term.coefficient)});
    ends.push_back(static_cast<u32>(entries.size()));
}

u64 InstancedR1cs::bit_count() const {
    u64 n = 0;
    for (const u64 word : aux_is_bit) n += static_cast<u64>(std::popcount(word));
    return n;
}

std::size_t InstancedR1cs::bytes() const {
    std::size_t n = coefficients.size() * sizeof(Fr) + segments.size() * sizeof(Segment) +
                    params.size() * sizeof(u32) + aux_is_bit.size() * sizeof(u64);
    for (const SparseRows& m : glue) n += m.bytes();
    for (const BlockTemplate& b : blocks) {
        for (const SparseRows& m : b.matrices) n += m.bytes();
        n += b.local_is_bit.size() / 8 + b.key.size();
    }
    return n;
}

void InstancedR1cs::resolve_row(const Segment& s, std::span<const SparseRows::Entry> row,
                                std::vector<SparseRows::Entry>& out) const {
    out.clear();
    for (const auto& e : row) out.push_back({resolve(s, e.var), e.coefficient});
    const auto key = [](const SparseRows::Entry& e) { return e.var.raw() ^ Var::kInputFlag; };
    std::sort(out.begin(), out.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

}  // namespace cuzk::filecoin
