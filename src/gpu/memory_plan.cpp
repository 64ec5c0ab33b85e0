#include "gpu/memory_plan.hpp"

#include <algorithm>
#include <optional>

#include "gpu/failure.hpp"

namespace cuzk::gpu {

namespace {

// Alignment of what is taken from an arena, a few dozen times, and counters.
constexpr std::size_t kSlack = std::size_t{1} << 20;
constexpr std::size_t kPartSlack = std::size_t{64} << 10;
// The same for the points of the queries.
constexpr std::size_t kPointSlack = std::size_t{4} << 10;
// Entries of a list that are added at once where memory is short.
constexpr std::size_t kShortChunk = std::size_t{1} << 22;
constexpr std::size_t kLeastPiece = std::size_t{1} << 16;

// What a sum costs, in bytes that the bus could bring meanwhile: a wide scalar takes 0.19 times as long as the bus needs for its point for
// each of its windows in G1, 0.27 times in G2; a point that is just added 0.15 and 0.25 times; each pass over a group of windows 2.4 ms
// more. Measured on one card (bench/results/gpu_h200.md: 0.345 and 0.96 ns a window, 0.27 and 0.9 ns an addition, beside 53.6 GB/s),
// where the sum over H in pieces of 2^24 with two windows at once takes 736 ms by this, and 737 as measured. Other cards have other
// proportions, but it takes much to change a choice.
constexpr double kWindowG1 = 0.19, kWindowG2 = 0.27, kAdditionG1 = 0.15, kAdditionG2 = 0.25;
constexpr double kPass = double{1u << 27};
// Of sums that are too small for groups of windows.
constexpr unsigned kManyWindows = 16;

constexpr std::array kOrder{Query::kL, Query::kA, Query::kBG1, Query::kBG2, Query::kH};

std::size_t pieces_of(std::size_t n, std::size_t piece) {
    return (n + piece - 1) / piece;
}

}  // namespace

std::size_t ProofSizes::largest_g1() const {
    return std::max({points[Query::kL], points[Query::kA], points[Query::kBG1]});
}

std::size_t ProofSizes::all_point_bytes() const {
    std::size_t bytes = 0;
    for (const Query q : kOrder) bytes += points[q] * point_bytes(q);
    return bytes;
}

SumScratch sum_scratch(const ScratchModel& scratch, std::size_t n, std::size_t scalars) {
    scalars = std::min(n, scalars);
    return {std::max(scratch.g1(scalars, 0), scratch.g1_list(n, 0)) + kPartSlack,
            std::max(scratch.g2(scalars, 0), scratch.g2_list(n, 0)) + kPartSlack};
}

namespace {

// A plan but for how much of the key stays.
struct Shape {
    std::size_t piece = 0;  // 0: all points at once
    bool streams = false;
    bool parked = false;
    unsigned windows = 0;  // at once; 0 for as many as gain much
};

class Planner {
public:
    Planner(const ProofSizes& sizes, const ScratchModel& scratch, const MemoryLimits& limits)
        : s_(sizes), scratch_(scratch), limits_(limits), points_(sizes.all_point_bytes()) {}

    std::optional<MemoryPlan> best() {
        if (s_.small && !limits_.parked_only) {
            MemoryPlan plan = plan_of({});
            plan.side_by_side = true;
            plan.working = std::max(side_by_side_bytes(), limits_.least_working);
            if (fits(plan)) return plan;
        }
        std::optional<MemoryPlan> best;
        double least = 0;
        const auto consider = [&](const Shape& shape) {
            const MemoryPlan plan = plan_of(shape);
            if (!fits(plan)) return;
            const double cost = cost_of(plan);
            if (best && cost >= least) return;
            best = plan;
            least = cost;
        };
        std::size_t most_piece = limits_.most_piece;
        while (most_piece / 2 >= whole() && most_piece > 2) most_piece /= 2;
        const std::size_t least_piece = std::min(most_piece, kLeastPiece);
        for (const bool parked : {false, true}) {
            if (limits_.parked_only && !parked) continue;
            for (const unsigned windows : {0u, 4u, 2u, 1u})
                if (useful(s_.domain, windows)) consider({0, false, parked, windows});
            for (std::size_t piece = most_piece; piece >= least_piece; piece /= 2)
                for (const unsigned windows : {0u, 4u, 2u, 1u})
                    for (const bool streams : {false, true})
                        if (useful(piece, windows)) consider({piece, streams, parked, windows});
        }
        return best;
    }

    std::size_t least_bytes() const { return least_; }

private:
    // More windows at once than gain much are no plan of their own.
    bool useful(std::size_t n, unsigned windows) const {
        return windows <= 1 ||
               scratch_.g1(std::min(n, s_.domain), windows) < scratch_.g1(std::min(n, s_.domain), 0);
    }

    std::size_t vector_bytes() const { return s_.domain * 32; }
    std::size_t buffer_bytes(const Shape& shape) const {
        return shape.streams ? 2 * shape.piece * s_.g1_bytes : 0;
    }
    // Of G2, in the bytes of so many points of G1.
    std::size_t in_g2(std::size_t points) const { return points * s_.g1_bytes / s_.g2_bytes; }

    std::size_t tail_bytes(std::size_t part, unsigned windows) const {
        const std::size_t g1 = std::min(part, s_.largest_g1());
        const std::size_t g2 = std::min(in_g2(part), s_.points[Query::kBG2]);
        const std::size_t chunk = windows == 0 ? 0 : kShortChunk;
        return std::max({scratch_.g1(std::min(g1, s_.most_scalars), windows),
                         scratch_.g2(std::min(g2, s_.most_scalars), windows),
                         scratch_.g1_list(g1, std::min(chunk, g1)),
                         scratch_.g2_list(g2, std::min(chunk, g2))});
    }

    std::size_t transform_bytes(bool parked) const {
        return parked ? vector_bytes() + 2 * std::min(kParkedPiece, s_.domain) * 32
                      : s_.vectors() * vector_bytes();
    }

    std::size_t side_by_side_bytes() const {
        const SumScratch query = sum_scratch(scratch_, s_.largest_g1(), s_.most_scalars);
        return s_.witness + transform_bytes(false) + sum_scratch(scratch_, s_.domain, s_.domain).g1 +
               3 * query.g1 + query.g2 + kSlack;
    }

    std::size_t whole() const { return std::max({s_.domain, s_.largest_g1(), 2 * s_.points[Query::kBG2]}); }

    MemoryPlan plan_of(const Shape& shape) const {
        MemoryPlan plan;
        plan.parked = shape.parked;
        plan.piece = shape.piece == 0 ? whole() : shape.piece;
        const std::size_t beside = s_.witness + buffer_bytes(shape) + kSlack;
        const std::size_t h = vector_bytes() + scratch_.g1(std::min(plan.piece, s_.domain), shape.windows);
        plan.working =
            beside + std::max({transform_bytes(shape.parked), h, tail_bytes(plan.piece, shape.windows)});
        plan.working = std::max(plan.working, limits_.least_working);
        plan.part = plan.piece;
        while (plan.part < whole() && tail_bytes(2 * plan.part, 1) <= plan.working - beside) plan.part *= 2;
        if (shape.parked) {
            plan.host = (s_.vectors() - 1) * vector_bytes();
            plan.bus = parked_copies(s_.family) * vector_bytes();
        }
        plan.key = s_.tables;
        if (shape.streams) {
            keep_what_fits(plan);
        } else {
            plan.kept = s_.points;
            plan.kept_bytes = points_;
            plan.key += points_ + kPointSlack;
        }
        plan.streamed_bytes = points_ - plan.kept_bytes;
        plan.bus += plan.streamed_bytes;
        return plan;
    }

    void keep_what_fits(MemoryPlan& plan) const {
        const std::size_t taken = plan.working + plan.key + kPointSlack;
        std::size_t left =
            std::min(limits_.available - std::min(taken, limits_.available), limits_.most_kept);
        for (const Query q : kOrder) {
            plan.kept[q] = std::min(s_.points[q], left / s_.point_bytes(q));
            left -= plan.kept[q] * s_.point_bytes(q);
            plan.kept_bytes += plan.kept[q] * s_.point_bytes(q);
        }
        if (plan.kept_bytes != 0) plan.key += plan.kept_bytes + kPointSlack;
    }

    bool fits(const MemoryPlan& plan) {
        const std::size_t bytes = plan.key + plan.working;
        if (least_ == 0 || bytes < least_) least_ = bytes;
        return bytes <= limits_.available && plan.kept_bytes <= limits_.most_kept;
    }

    struct Passes {
        unsigned windows = kManyWindows, passes = 1;
    };
    // Of a sum of n scalars in so much scratch. How many windows it has shows in what they need.
    Passes passes(std::size_t n, std::size_t room) const {
        constexpr unsigned kMostWindows = 64;
        unsigned windows = 1, at_once = 1;
        while (windows < kMostWindows && scratch_.g1(n, windows + 1) > scratch_.g1(n, windows)) {
            ++windows;
            if (scratch_.g1(n, windows) <= room) at_once = windows;
        }
        if (windows == 1) return {};
        return {windows, (windows + at_once - 1) / at_once};
    }

    // How long a proof takes, in bytes that the bus brings in that time: the sum over a query needs the longer of its arithmetic and the
    // way of the points that are streamed, which the arithmetic of those that stay cannot hide.
    double cost_of(const MemoryPlan& plan) const {
        const std::size_t buffers = plan.resident() ? 0 : 2 * plan.piece * s_.g1_bytes;
        const std::size_t h_piece = std::min(plan.piece, s_.domain);
        const Passes of_h = passes(h_piece, plan.working - s_.witness - buffers - vector_bytes());
        double cost = double(plan.bus - plan.streamed_bytes);  // of parked vectors, which nothing hides
        for (const Query q : kOrder) {
            const std::size_t n = s_.points[q];
            if (n == 0) continue;
            const bool g2 = q == Query::kBG2;
            const bool h = q == Query::kH;
            const double wide = h ? 1 : double(std::min(n, s_.most_scalars)) / double(n);
            const double a_byte = wide * (h ? of_h.windows : kManyWindows) * (g2 ? kWindowG2 : kWindowG1) +
                                  (1 - wide) * (g2 ? kAdditionG2 : kAdditionG1);
            const std::size_t piece = g2 ? in_g2(plan.piece) : plan.piece;
            const std::size_t part = h ? piece : g2 ? in_g2(plan.part) : plan.part;
            const auto arithmetic = [&](std::size_t points, std::size_t at_once) {
                return double(points * s_.point_bytes(q)) * a_byte +
                       double(pieces_of(points, std::max<std::size_t>(at_once, 1))) * kPass *
                           (h ? of_h.passes : 1);
            };
            const std::size_t streamed = n - plan.kept[q];
            cost += arithmetic(plan.kept[q], part) +
                    std::max(double(streamed * s_.point_bytes(q)), arithmetic(streamed, piece));
        }
        return cost;
    }

    const ProofSizes& s_;
    const ScratchModel& scratch_;
    const MemoryLimits& limits_;
    std::size_t points_;
    std::size_t least_ = 0;
};

}  // namespace

MemoryPlan plan_memory(const ProofSizes& sizes, const ScratchModel& scratch, const MemoryLimits& limits,
                       const std::string& key_name) {
    Planner planner(sizes, scratch, limits);
    if (const auto plan = planner.best()) return *plan;
    throw OutOfDeviceMemory((key_name.empty() ? "a proof" : "a proof with " + key_name) + " needs at least " +
                            std::to_string(planner.least_bytes()) + " bytes of device memory, " +
                            std::to_string(limits.available) + " are available");
}

}  // namespace cuzk::gpu
