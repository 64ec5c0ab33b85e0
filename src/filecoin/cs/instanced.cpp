#include "filecoin/cs/instanced.hpp"

#include <algorithm>
#include <bit>

namespace cuzk::filecoin {

namespace {

constexpr u32 kEmpty = 0xffffffff;

std::size_t hash_of(const Fr& k) {
    u64 h = 0;
    for (const u64 limb : k.montgomery().limb) h = (h ^ limb) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

}  // namespace

CoefficientTable::CoefficientTable() : slots_(64, kEmpty) {
    intern(Fr::one());
    intern(-Fr::one());
}

u32 CoefficientTable::intern(const Fr& k) {
    if (2 * (values_.size() + 1) > slots_.size()) grow();
    std::size_t slot = hash_of(k) & (slots_.size() - 1);
    while (slots_[slot] != kEmpty) {
        if (values_[slots_[slot]] == k) return slots_[slot];
        slot = (slot + 1) & (slots_.size() - 1);
    }
    slots_[slot] = static_cast<u32>(values_.size());
    values_.push_back(k);
    return slots_[slot];
}

void CoefficientTable::grow() {
    slots_.assign(2 * slots_.size(), kEmpty);
    for (u32 i = 0; i < values_.size(); ++i) {
        std::size_t slot = hash_of(values_[i]) & (slots_.size() - 1);
        while (slots_[slot] != kEmpty) slot = (slot + 1) & (slots_.size() - 1);
        slots_[slot] = i;
    }
}

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
    std::size_t n = coefficients.size() * sizeof(Fr) + segments.size() * sizeof(Segment) + params.size() * sizeof(u32) +
                    aux_is_bit.size() * sizeof(u64);
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
