#include "r1cs/coefficient_table.hpp"

#include <limits>
#include <utility>

#include "base/error.hpp"

namespace cuzk {

namespace {

constexpr std::size_t kInitialSlots = 256;

// Montgomery limbs of small numbers are well spread already; one multiplication mixes them down.
template <class Fr>
u64 hash(const Fr& value) {
    u64 h = 0;
    for (const u64 limb : value.montgomery().limb) {
        h = (h ^ limb) * 0x9e3779b97f4a7c15U;
        h ^= h >> 32;
    }
    return h;
}

}  // namespace

template <class Fr>
CoefficientTable<Fr>::CoefficientTable() : slots_(kInitialSlots) {
    intern(Fr::one());
    intern(-Fr::one());
}

template <class Fr>
std::size_t CoefficientTable<Fr>::slot_of(const Fr& value) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash(value) & mask;
    while (slots_[slot] != 0 && !(values_[slots_[slot] - 1] == value)) slot = (slot + 1) & mask;
    return slot;
}

template <class Fr>
u32 CoefficientTable<Fr>::intern(const Fr& value) {
    std::size_t slot = slot_of(value);
    if (slots_[slot] != 0) return slots_[slot] - 1;
    if (values_.size() >= std::numeric_limits<u32>::max() - 1)
        throw Error(ErrorKind::kUnsupported, "a matrix with 2^32 distinct coefficients");
    values_.push_back(value);
    slots_[slot] = static_cast<u32>(values_.size());
    if (2 * values_.size() > slots_.size()) grow();
    return static_cast<u32>(values_.size() - 1);
}

template <class Fr>
void CoefficientTable<Fr>::grow() {
    slots_ = std::vector<u32>(2 * slots_.size());
    for (std::size_t i = 0; i < values_.size(); ++i) slots_[slot_of(values_[i])] = static_cast<u32>(i + 1);
}

template <class Fr>
std::vector<Fr> CoefficientTable<Fr>::take() && {
    slots_ = {};
    values_.shrink_to_fit();
    return std::move(values_);
}

template class CoefficientTable<Bls12_381Fr>;
template class CoefficientTable<Bn254Fr>;

}  // namespace cuzk
