// The order in which the butterflies of one group run, common to all arithmetic paths.
#pragma once

#include <cstddef>

namespace cuzk::ntt {

// Rows of the scratch come in blocks of 2^kLogBlock with a gap of one row after each: a block stays in the
// first-level cache, and rows one block apart do not fall into the same cache sets.
inline constexpr unsigned kLogBlock = 6;
inline constexpr std::size_t kBlock = std::size_t{1} << kLogBlock;
inline constexpr std::size_t kBlockPitch = kBlock + 1;

[[gnu::always_inline]] constexpr std::size_t scratch_row(std::size_t row) {
    return row + (row >> kLogBlock);
}
[[gnu::always_inline]] constexpr std::size_t scratch_rows(unsigned log_length) {
    return scratch_row(std::size_t{1} << log_length);
}

// 2^log_count rows `pitch` scratch rows apart, which stand for rows offset, offset + step, ... of the
// transform. Decimation in time: bit-reversed input, natural output. Two levels at a time.
template <class Engine>
[[gnu::always_inline]] inline void strided_levels(const Engine& engine, std::size_t base, std::size_t pitch,
                                                  std::size_t step, std::size_t offset, unsigned log_count) {
    const std::size_t count = std::size_t{1} << log_count;
    std::size_t half = 1;
    if (step == 1 && log_count >= 2) {
        for (std::size_t start = 0; start < count; start += 4)
            engine.first_two_levels(base + start * pitch, pitch);
        half = 4;
    }
    for (; 4 * half <= count; half *= 4)
        for (std::size_t start = 0; start < count; start += 4 * half)
            for (std::size_t i = 0; i < half; ++i) {
                const std::size_t root = step * (half + i) + offset;
                engine.two_levels(base + (start + i) * pitch, half * pitch, root, step * half);
            }
    if (half < count)
        for (std::size_t i = 0; i < half; ++i)
            engine.one_level(base + i * pitch, half * pitch, step * (half + i) + offset);
}

// Engine: first_two_levels(at, distance) works on rows at + {0, 1, 2, 3} distance, which are whole transforms
// of length 4; two_levels(at, distance, r, half) takes entry r of the root table for both butterflies of the
// first level, r + half and r + 2 half for those of the second; one_level(at, distance, r) takes entry r.
template <class Engine>
[[gnu::always_inline]] inline void all_levels(const Engine& engine, unsigned log_length) {
    const unsigned low = log_length < kLogBlock ? log_length : kLogBlock;
    const std::size_t blocks = std::size_t{1} << (log_length - low);
    for (std::size_t block = 0; block < blocks; ++block)
        strided_levels(engine, block * kBlockPitch, 1, 1, 0, low);
    if (blocks > 1)
        for (std::size_t j = 0; j < kBlock; ++j)
            strided_levels(engine, j, kBlockPitch, kBlock, j, log_length - low);
}

}  // namespace cuzk::ntt
