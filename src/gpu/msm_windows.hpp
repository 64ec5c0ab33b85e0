// How the scalars of a sum are cut into signed digits.
#pragma once

#include "base/types.hpp"

namespace cuzk::gpu {

// Windows of a scalar below r, or of r minus it where that is smaller: all bits of r in windows of two widths that differ
// by one, so that none is much narrower than the others. A digit lies in [-2^(width-1), 2^(width-1)].
struct Windows {
    static constexpr u32 kMax = 32;

    u32 count = 0;
    u32 widest = 0;
    u8 width[kMax] = {};
    u8 position[kMax] = {};  // of the lowest bit

    // Buckets a window; bucket 0 holds the digit of absolute value 2^(widest-1).
    u32 buckets() const { return u32{1} << (widest - 1); }

    static Windows of_count(u32 bits, u32 count) {
        Windows w;
        w.count = count;
        w.widest = (bits + count - 1) / count;
        u32 position = 0;
        for (u32 k = 0; k < count; ++k) {
            w.width[k] = static_cast<u8>(bits / count + (k < bits % count ? 1 : 0));
            w.position[k] = static_cast<u8>(position);
            position += w.width[k];
        }
        return w;
    }

    // The cheapest cut for n scalars: an addition for each digit, three for each bucket.
    static Windows for_size(u32 bits, u64 n) {
        return cheapest(bits, n, 10, [](u32) { return 3; });
    }
    // The same where buckets are summed by bits of their number at once: each is in half of these sums.
    static Windows for_small_size(u32 bits, u64 n) {
        return cheapest(bits, n, 16, [](u32 width) { return width * 3 / 4; });
    }

private:
    template <class PerBucket>
    static Windows cheapest(u32 bits, u64 n, u32 least, const PerBucket& per_bucket) {
        u32 best = kMax;
        u64 best_cost = ~u64{0};
        for (u32 count = least; count <= kMax; ++count) {
            const u32 width = (bits + count - 1) / count;
            const u64 cost = count * (n + per_bucket(width) * (u64{1} << (width - 1)));
            if (cost < best_cost) {
                best_cost = cost;
                best = count;
            }
        }
        return of_count(bits, best);
    }
};

}  // namespace cuzk::gpu
