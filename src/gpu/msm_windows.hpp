// How the scalars of a sum are cut into signed digits.
#pragma once

#include <algorithm>
#include <vector>

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

    // The cheapest cut for n scalars of `bits` bits: an addition for each digit, three for each bucket, and the time of some
    // thousands for each window.
    static Windows for_size(u32 bits, u64 n) {
        return cheapest(10, bits,
                        [&](const Windows& w) { return w.count * (kWindowCost + n + 3 * u64{w.buckets()}); });
    }
    // The same where buckets are summed by bits of their number at once: each is in half of these sums.
    static Windows for_small_size(u32 bits, u64 n) {
        return cheapest(
            16, bits, [&](const Windows& w) { return w.count * (n + w.widest * u64{w.buckets()} * 3 / 4); });
    }
    // The same as for_size where lengths[l] scalars (r minus them if they are negative) have l bits, windows no wider than
    // `widest`. Digits above a scalar's bits are 0 and cost nothing.
    static Windows for_lengths(const std::vector<u32>& lengths, u32 widest) {
        std::vector<u64> longer(lengths.size() + 1);  // [p]: scalars of more than p bits
        for (std::size_t l = lengths.size(); l-- > 1;) longer[l - 1] = longer[l] + lengths[l];
        u32 bits = 1;  // one more than the longest scalar's, for the sign
        while (longer[bits - 1] != 0) ++bits;
        return cheapest((bits + widest - 1) / widest, bits, [&](const Windows& w) {
            u64 cost = w.count * (kWindowCost + 3 * u64{w.buckets()});
            for (u32 k = 0; k < w.count; ++k) cost += longer[w.position[k]];
            return cost;
        });
    }

private:
    static constexpr u64 kWindowCost = 1 << 14;

    template <class Cost>
    static Windows cheapest(u32 least, u32 bits, const Cost& cost) {
        Windows best = of_count(bits, least);
        for (u32 count = least + 1; count <= std::min(kMax, bits); ++count) {
            const Windows w = of_count(bits, count);
            if (cost(w) < cost(best)) best = w;
        }
        return best;
    }
};

}  // namespace cuzk::gpu
