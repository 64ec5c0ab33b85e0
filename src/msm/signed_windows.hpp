// Signed windows of scalars: s or r - s, whichever is smaller, as sum of digits d_w 2^(width w) with |d_w| <=
// 2^(width - 1).
#pragma once

#include "field/bigint.hpp"

namespace cuzk {

// For scalars whose smaller representative is at most `bound` (<= (r - 1) / 2). Adding half a window's range
// to every window but the top one turns signed recoding into plain bit extraction, so each digit is computed
// on its own.
template <class Fr>
class SignedWindows {
public:
    using Int = typename Fr::Int;

    SignedWindows(unsigned width, const Int& bound) : width_(width) {
        const u64 half = u64{1} << (width - 1);
        for (count_ = 1;; ++count_) {
            const unsigned top = (count_ - 1) * width;
            Int reach = bound;
            reach.add(offset_);  // below 2^(64 N): both terms are below 2^(64 N - 1)
            if (reach.shr(top).bits(0, 64) <= half && reach.shr(top).shr(63).is_zero()) break;
            Int bit = Int::from_u64(0);
            bit.limb[(top + width - 1) / 64] = u64{1} << ((top + width - 1) % 64);
            offset_.add(bit);
        }
    }

    unsigned width() const { return width_; }
    unsigned count() const { return count_; }
    std::size_t buckets() const { return std::size_t{1} << (width_ - 1); }

    // The smaller of s and r - s; sets `negative` if that is the latter. s < r.
    static Int magnitude(const Int& s, bool& negative) {
        Int opposite = Fr::Constants::kModulus;
        opposite.sub(s);
        const bool larger = opposite < s;
        const u64 mask = larger ? ~u64{0} : 0;
        Int m;
        for (std::size_t i = 0; i < Int::kLimbs; ++i)
            m.limb[i] = (opposite.limb[i] & mask) | (s.limb[i] & ~mask);
        negative = larger;
        return m;
    }

    // A magnitude made ready for window(w).digit().
    Int shifted(Int magnitude) const {
        magnitude.add(offset_);
        return magnitude;
    }

    class Window {
    public:
        // |digit| <= 2^(width - 1); `shifted` as of SignedWindows::shifted.
        i64 digit(const Int& shifted) const {
            u64 bits = shifted.limb[limb_] >> shift_;
            if (next_ != 0) bits |= shifted.limb[limb_ + 1] << next_;
            return static_cast<i64>(bits & mask_) - half_;
        }

    private:
        friend class SignedWindows;
        Window(std::size_t first_bit, unsigned width, bool top)
            : limb_(first_bit / 64),
              shift_(first_bit % 64),
              next_(shift_ + width > 64 && limb_ + 1 < Int::kLimbs ? 64 - shift_ : 0),
              mask_((u64{1} << width) - 1),
              half_(top ? 0 : i64{1} << (width - 1)) {}

        std::size_t limb_;
        std::size_t shift_;
        std::size_t next_;  // left shift of the next limb's part; 0: there is none
        u64 mask_;
        i64 half_;
    };
    Window window(unsigned w) const { return Window(std::size_t{w} * width_, width_, w + 1 == count_); }

private:
    unsigned width_;
    unsigned count_ = 1;
    Int offset_{};
};

}  // namespace cuzk
