// The distinct coefficients of a sparse matrix.
#pragma once

#include <span>
#include <vector>

#include "field/fp.hpp"

namespace cuzk {

// Gives equal coefficients one index. One and minus one are always there, at kOne and kMinusOne. Not
// thread-safe.
template <class Fr>
class CoefficientTable {
public:
    static constexpr u32 kOne = 0;
    static constexpr u32 kMinusOne = 1;

    CoefficientTable();

    // Index of the value, which is added if it is new. Throws Error(kUnsupported) at 2^32 - 1 distinct
    // values.
    u32 intern(const Fr& value);

    const Fr& operator[](std::size_t index) const { return values_[index]; }
    std::size_t size() const { return values_.size(); }
    std::span<const Fr> values() const { return values_; }

    // The values in order of index; the table is empty afterwards and must not be used again.
    std::vector<Fr> take() &&;

private:
    std::size_t slot_of(const Fr& value) const;
    void grow();

    std::vector<Fr> values_;
    std::vector<u32> slots_;  // open addressing: index + 1, or 0 where free; a power of two long
};

extern template class CoefficientTable<Bls12_381Fr>;
extern template class CoefficientTable<Bn254Fr>;

}  // namespace cuzk
