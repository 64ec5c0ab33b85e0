#include "r1cs/instanced.hpp"

#include <bit>

namespace cuzk {

template <class Fr>
u64 InstancedR1cs<Fr>::bit_count() const {
    u64 n = 0;
    for (const u64 word : aux_is_bit) n += static_cast<u64>(std::popcount(word));
    return n;
}

template <class Fr>
std::size_t InstancedR1cs<Fr>::bytes() const {
    std::size_t n = coefficients.size() * sizeof(Fr) + segments.size() * sizeof(Segment) +
                    params.size() * sizeof(u32) + aux_is_bit.size() * sizeof(u64);
    for (const SparseRows& m : glue) n += m.bytes();
    for (const BlockTemplate& b : blocks) {
        for (const SparseRows& m : b.matrices) n += m.bytes();
        n += b.local_is_bit.size() / 8 + b.key.size();
    }
    return n;
}

template <class Fr>
void InstancedR1cs<Fr>::resolve_row(const Segment& s, std::span<const SparseRows::Entry> row,
                                    std::vector<SparseRows::Entry>& out) const {
    out.clear();
    for (const auto& e : row) out.push_back({resolve(s, e.var), e.coefficient});
    const auto key = [](const SparseRows::Entry& e) { return e.var.raw() ^ Var::kInputFlag; };
    std::sort(out.begin(), out.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

template class InstancedR1cs<Bls12_381Fr>;
template class InstancedR1cs<Bn254Fr>;

}  // namespace cuzk
