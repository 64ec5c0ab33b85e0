// Affine additions in batches that share one inversion (Montgomery's trick), written once over a lane policy:
// one element for the scalar paths, eight for vectors.
//
// A policy L provides
//   Group, Coordinate (kWidth coordinates), Norm (kWidth elements of the prime field), kWidth, kChains,
//   kVectors, kPrefetchVectors; load(pointers, negative, x, y), store(pointers, mask, infinite, x, y),
//   prefetch(pointer), is_infinity(x, y) of loaded points, settle_y (a loaded y, or its negative, to an
//   accumulator), settle_x (an accumulator's x to a loaded one); difference_x, difference_y (loaded minus
//   accumulator), is_zero (of such a difference); next_x, next_y: the formulas below; sqr, dbl, triple,
//   select(mask, if_set, if_clear), zero(), one(); norm(a), mul(Norm, Norm), one_norm(), inverse(Norm),
//   from_norm(inverse of norm(a), a) = 1 / a; slope(rise, 1 / run).
// So a policy is free to hold numbers unreduced. A Norm is the element itself on G1, the norm to the prime
// field on G2, where that saves two products of seventeen. kChains running products hide the latency of one.
//
// The addition of P2 to P1 (x1 != x2) is lambda = (y2 - y1) / (x2 - x1), x3 = lambda^2 - x1 - x2, y3 = lambda
// (x1 - x3) - y1: with the inversion shared 5M + 1S. Equal points, opposite points and infinity are detected
// and take the rare branch.
#pragma once

#include "msm/bucket_kernel.hpp"

namespace cuzk::batch_affine {

// Up to kVectors * kWidth sums under construction, and the scratch of one round of additions to them.
template <class L>
struct Accumulators {
    using F = typename L::Coordinate;
    using Norm = typename L::Norm;
    static constexpr std::size_t kVectors = L::kVectors;
    static constexpr u8 kAllLanes = static_cast<u8>((1U << L::kWidth) - 1);

    F x[kVectors], y[kVectors];
    F run[kVectors], rise[kVectors];  // denominators and numerators of the slopes
    Norm norm[L::kNormIsElement ? 1 : kVectors];
    Norm before[kVectors];  // product of the norms that precede this one in its chain
    u8 infinite[kVectors], keep[kVectors], twice[kVectors];
    Norm product[L::kChains];

    [[gnu::always_inline]] void begin_round() {
        for (std::size_t c = 0; c < L::kChains; ++c) product[c] = L::one_norm();
    }

    // First half of adding the loaded point (x2, y2) to accumulator v in the active lanes. Lanes set in
    // `infinite2` add infinity.
    [[gnu::always_inline]] void prepare(std::size_t v, const F& x2, const F& y2, u8 active, u8 infinite2) {
        F dx = L::difference_x(x2, x[v]);
        F dy = L::difference_y(y2, y[v]);
        keep[v] = 0;
        twice[v] = 0;
        const u8 special = static_cast<u8>(L::is_zero(dx) | infinite[v] | infinite2 | (active ^ kAllLanes));
        if (special != 0) [[unlikely]]
            prepare_special(v, x2, y2, active, infinite2, dx, dy);
        run[v] = dx;
        rise[v] = dy;
        const Norm n = L::norm(dx);
        if constexpr (!L::kNormIsElement) norm[v] = n;
        before[v] = product[v % L::kChains];
        product[v % L::kChains] = L::mul(product[v % L::kChains], n);
    }

    // Second half, for accumulators [0, count) of a round.
    [[gnu::always_inline]] void finish_round(std::size_t count) {
        Norm inverse[L::kChains];
        invert_products(inverse);
        for (std::size_t v = count; v-- > 0;) {
            Norm& chain = inverse[v % L::kChains];
            F dx = run[v];
            const F slope = L::slope(rise[v], L::from_norm(L::mul(chain, before[v]), dx));
            if constexpr (L::kNormIsElement)
                chain = L::mul(chain, dx);
            else
                chain = L::mul(chain, norm[v]);
            const F x1 = x[v];
            const F y1 = y[v];
            if (twice[v] != 0) [[unlikely]]
                dx = L::select(twice[v], L::difference_x(L::settle_x(x1), x1), dx);
            const F x3 = L::next_x(slope, x1, dx);
            const F y3 = L::next_y(slope, x1, x3, y1);
            if (keep[v] != 0) [[unlikely]] {
                x[v] = L::select(keep[v], x1, x3);
                y[v] = L::select(keep[v], y1, y3);
            } else {
                x[v] = x3;
                y[v] = y3;
            }
        }
    }

private:
    // Sorts the lanes of an addition that has no plain slope in all of them.
    [[gnu::noinline]] void prepare_special(std::size_t v, const F& x2, const F& y2, u8 active, u8 infinite2,
                                           F& dx, F& dy) {
        const u8 takes = static_cast<u8>(active & infinite[v] & ~infinite2);
        const u8 both = static_cast<u8>(active & ~infinite[v] & ~infinite2);
        const u8 same_x = static_cast<u8>(both & L::is_zero(dx));
        const u8 equal = static_cast<u8>(same_x & L::is_zero(dy));
        const u8 opposite = static_cast<u8>(same_x & ~equal);
        twice[v] = equal;
        keep[v] = static_cast<u8>(kAllLanes & ~(both & ~opposite));
        const F x1 = x[v];
        const F y1 = y[v];
        dx = L::select(keep[v], L::one(), L::select(equal, L::dbl(y1), dx));
        dy = L::select(equal, L::triple(L::sqr(x1)), dy);
        x[v] = L::select(takes, x2, x1);
        y[v] = L::select(takes, L::settle_y(y2), y1);
        infinite[v] = static_cast<u8>((infinite[v] & ~takes) | opposite);
    }

    [[gnu::always_inline]] void invert_products(Norm* inverse) const {
        Norm before_chain[L::kChains];
        Norm all = product[0];
        for (std::size_t c = 1; c < L::kChains; ++c) {
            before_chain[c] = all;
            all = L::mul(all, product[c]);
        }
        Norm rest = L::inverse(all);
        for (std::size_t c = L::kChains; c-- > 1;) {
            inverse[c] = L::mul(rest, before_chain[c]);
            rest = L::mul(rest, product[c]);
        }
        inverse[0] = rest;
    }
};

// Lanes below `count` of the vector that starts at item `first`.
template <class L>
[[gnu::always_inline]] inline u8 lanes_below(std::size_t first, std::size_t count) {
    const std::size_t left = count - first;
    return left >= L::kWidth ? Accumulators<L>::kAllLanes : static_cast<u8>((1U << left) - 1);
}

// The entries of a block's segments, turned from segment after segment to round after round, some rounds at a
// time: segments lie anywhere in memory, and each of their cache lines serves many rounds.
template <class L>
struct RoundEntries {
    static constexpr std::size_t kRounds = 16;
    static constexpr std::size_t kAhead = 16;
    u32 entry[kRounds][L::kVectors * L::kWidth];

    // Rounds [round, round + kRounds) of the first `count` segments.
    [[gnu::noinline]] void fill(const u32* entries, const BucketSegment* segments, std::size_t count,
                                std::size_t round) {
        for (std::size_t s = 0; s < count; ++s) {
            const BucketSegment& later = segments[s + kAhead < count ? s + kAhead : count - 1];
            __builtin_prefetch(entries + later.begin + round);
            const std::size_t left = segments[s].length - round;
            const std::size_t rounds = left < kRounds ? left : kRounds;
            for (std::size_t r = 0; r < rounds; ++r) entry[r][s] = entries[segments[s].begin + round + r];
        }
    }
    const u32* of_round(std::size_t round) const { return entry[round % kRounds]; }
};

template <class L>
struct Workspace {
    Accumulators<L> sums;
    RoundEntries<L> entries;
};

// The points that one vector of segments adds. Lanes past `count` repeat the last segment.
template <class L>
struct Operands {
    const u8* pointer[L::kWidth];
    u8 negative = 0;

    [[gnu::always_inline]] Operands(const u8* points, const u32* entries, std::size_t first,
                                    std::size_t count) {
        for (std::size_t lane = 0; lane < L::kWidth; ++lane) {
            const u32 entry = entries[first + lane < count ? first + lane : count - 1];
            pointer[lane] = points + std::size_t{entry & ~kNegativeEntry} * sizeof(Affine<typename L::Group>);
            negative = static_cast<u8>(negative | (entry >> 31) << lane);
        }
    }
};

// Inlined by force: g++ takes a function that only prefetches for one without effect, and drops the call.
template <class L>
[[gnu::always_inline]] inline void prefetch_operands(const u8* points, const u32* entries, std::size_t first,
                                                     std::size_t count) {
    if (first >= count) return;
    const Operands<L> next(points, entries, first, count);
    for (std::size_t lane = 0; lane < L::kWidth; ++lane) L::prefetch(next.pointer[lane]);
}

template <class L>
void sum_block(const SegmentJob<typename L::Group>& job, const BucketSegment* segments, std::size_t count,
               Workspace<L>& work) {
    using F = typename L::Coordinate;
    constexpr std::size_t kWidth = L::kWidth;
    constexpr std::size_t kAhead = L::kPrefetchVectors;
    Accumulators<L>& sums = work.sums;
    work.entries.fill(job.entries, segments, count, 0);
    const u32* entries = work.entries.of_round(0);
    for (std::size_t v = 0; v < kAhead; ++v) prefetch_operands<L>(job.points, entries, v * kWidth, count);
    for (std::size_t v = 0; v * kWidth < count; ++v) {
        prefetch_operands<L>(job.points, entries, (v + kAhead) * kWidth, count);
        const Operands<L> first(job.points, entries, v * kWidth, count);
        F x;
        F y;
        L::load(first.pointer, first.negative, x, y);
        sums.infinite[v] = job.may_be_infinite ? L::is_infinity(x, y) : u8{0};
        sums.x[v] = x;
        sums.y[v] = L::settle_y(y);
    }

    const auto active_in = [&](std::size_t round, std::size_t active) {
        while (active > 0 && segments[active - 1].length <= round) --active;
        return active;
    };
    std::size_t active = active_in(1, count);
    for (std::size_t round = 1; active > 0; ++round) {
        const std::size_t vectors = (active + kWidth - 1) / kWidth;
        entries = work.entries.of_round(round);
        sums.begin_round();
        for (std::size_t v = 0; v < vectors; ++v) {
            prefetch_operands<L>(job.points, entries, (v + kAhead) * kWidth, active);
            const Operands<L> next(job.points, entries, v * kWidth, active);
            F x2;
            F y2;
            L::load(next.pointer, next.negative, x2, y2);
            const u8 infinite = job.may_be_infinite ? L::is_infinity(x2, y2) : u8{0};
            sums.prepare(v, x2, y2, lanes_below<L>(v * kWidth, active), infinite);
        }
        // Have the next round's first points on their way during this round's second half.
        active = active_in(round + 1, active);
        if ((round + 1) % RoundEntries<L>::kRounds == 0)
            work.entries.fill(job.entries, segments, active, round + 1);
        for (std::size_t v = 0; v < kAhead; ++v)
            prefetch_operands<L>(job.points, work.entries.of_round(round + 1), v * kWidth, active);
        sums.finish_round(vectors);
    }

    for (std::size_t v = 0; v * kWidth < count; ++v) {
        Affine<typename L::Group>* out[kWidth];
        for (std::size_t lane = 0; lane < kWidth; ++lane) {
            const std::size_t s = v * kWidth + lane < count ? v * kWidth + lane : count - 1;
            const u32 to = segments[s].out;
            out[lane] = (to & kPartialSum) != 0 ? job.partial_sums + (to & ~kPartialSum) : job.sums + to;
        }
        L::store(out, lanes_below<L>(v * kWidth, count), sums.infinite[v], sums.x[v], sums.y[v]);
    }
}

template <class L>
void sum_segments(const SegmentJob<typename L::Group>& job, std::size_t first, std::size_t last,
                  std::byte* scratch) {
    auto& work = *reinterpret_cast<Workspace<L>*>(scratch);
    constexpr std::size_t kBlock = L::kVectors * L::kWidth;
    for (; first < last; first += kBlock)
        sum_block<L>(job, job.segments + first, last - first < kBlock ? last - first : kBlock, work);
}

// Running sums from the top of each chain. Accumulators [0, vectors) hold the weighted sums, [vectors, 2
// vectors) the plain ones. One round adds the plain sum so far to the weighted one and the next point to the
// plain one: both at once.
template <class L>
void chain_block(const ChainJob<typename L::Group>& job, std::size_t first, std::size_t count,
                 Accumulators<L>& acc) {
    using G = typename L::Group;
    using F = typename L::Coordinate;
    constexpr std::size_t kWidth = L::kWidth;
    const std::size_t vectors = (count + kWidth - 1) / kWidth;
    for (std::size_t v = 0; v < 2 * vectors; ++v) {
        acc.x[v] = L::zero();
        acc.y[v] = L::zero();
        acc.infinite[v] = Accumulators<L>::kAllLanes;
    }
    const auto chain = [&](std::size_t v, std::size_t lane) {
        const std::size_t k = v * kWidth + lane;
        return first + (k < count ? k : count - 1);
    };
    for (std::size_t t = job.length + 1; t-- > 0;) {
        acc.begin_round();
        for (std::size_t v = 0; v < vectors; ++v) {
            const std::size_t plain = vectors + v;
            acc.prepare(v, L::settle_x(acc.x[plain]), acc.y[plain], lanes_below<L>(v * kWidth, count),
                        acc.infinite[plain]);
        }
        for (std::size_t v = 0; v < vectors && t > 0; ++v) {
            const u8* pointer[kWidth];
            for (std::size_t lane = 0; lane < kWidth; ++lane) {
                pointer[lane] = reinterpret_cast<const u8*>(job.points + chain(v, lane) * job.length + t - 1);
                if (t > 3) L::prefetch(pointer[lane] - 3 * sizeof(Affine<G>));
            }
            F x2;
            F y2;
            L::load(pointer, 0, x2, y2);
            acc.prepare(vectors + v, x2, y2, lanes_below<L>(v * kWidth, count), L::is_infinity(x2, y2));
        }
        acc.finish_round(t > 0 ? 2 * vectors : vectors);
    }
    for (std::size_t v = 0; v < vectors; ++v) {
        Affine<G>* plain[kWidth];
        Affine<G>* weighted[kWidth];
        for (std::size_t lane = 0; lane < kWidth; ++lane) {
            plain[lane] = job.sums + chain(v, lane);
            weighted[lane] = job.weighted_sums + chain(v, lane);
        }
        const u8 lanes = lanes_below<L>(v * kWidth, count);
        L::store(weighted, lanes, acc.infinite[v], acc.x[v], acc.y[v]);
        L::store(plain, lanes, acc.infinite[vectors + v], acc.x[vectors + v], acc.y[vectors + v]);
    }
}

template <class L>
void sum_chains(const ChainJob<typename L::Group>& job, std::size_t first, std::size_t last,
                std::byte* scratch) {
    auto& acc = reinterpret_cast<Workspace<L>*>(scratch)->sums;
    constexpr std::size_t kBlock = L::kVectors / 2 * L::kWidth;
    for (; first < last; first += kBlock)
        chain_block<L>(job, first, last - first < kBlock ? last - first : kBlock, acc);
}

}  // namespace cuzk::batch_affine
