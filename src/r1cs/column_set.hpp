// A set of columns (variables) as bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "base/types.hpp"

namespace cuzk {

class ColumnSet {
public:
    ColumnSet() = default;
    explicit ColumnSet(std::size_t columns) : columns_(columns), words_((columns + 63) / 64) {}

    std::size_t columns() const { return columns_; }
    void insert(std::size_t column) { words_[column / 64] |= u64{1} << (column % 64); }
    bool contains(std::size_t column) const { return ((words_[column / 64] >> (column % 64)) & 1) != 0; }

    // How many there are, in all and among [first, last).
    std::size_t count() const { return count(0, columns_); }
    std::size_t count(std::size_t first, std::size_t last) const {
        std::size_t n = 0;
        for (std::size_t i = first; i < last;) {
            const std::size_t end = std::min(last, (i / 64 + 1) * 64);
            const std::size_t length = end - i;
            const u64 bits = words_[i / 64] >> (i % 64);
            n += static_cast<std::size_t>(
                std::popcount(length == 64 ? bits : bits & ((u64{1} << length) - 1)));
            i = end;
        }
        return n;
    }

    friend bool operator==(const ColumnSet&, const ColumnSet&) = default;

private:
    std::size_t columns_ = 0;
    std::vector<u64> words_;
};

}  // namespace cuzk
