// A group on single elements: the path of processors without AVX-512 IFMA, and the oracle of the other one.
#include <algorithm>

#include "poly/group.hpp"
#include "poly/levels.hpp"

namespace cuzk::ntt {

namespace {

// A scratch row is 8 elements.
template <class Fr>
struct ScalarEngine {
    Fr* rows;
    const Fr* roots;

    Fr* row(std::size_t at) const { return rows + at * kLanes; }

    void butterfly(Fr* a, Fr* b, const Fr& w) const {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const Fr t = b[lane] * w;
            b[lane] = a[lane] - t;
            a[lane] += t;
        }
    }
    void plain_butterfly(Fr* a, Fr* b) const {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const Fr t = b[lane];
            b[lane] = a[lane] - t;
            a[lane] += t;
        }
    }
    void first_two_levels(std::size_t at, std::size_t distance) const {
        plain_butterfly(row(at), row(at + distance));
        plain_butterfly(row(at + 2 * distance), row(at + 3 * distance));
        plain_butterfly(row(at), row(at + 2 * distance));
        butterfly(row(at + distance), row(at + 3 * distance), roots[3]);
    }
    void two_levels(std::size_t at, std::size_t distance, std::size_t root, std::size_t half) const {
        butterfly(row(at), row(at + distance), roots[root]);
        butterfly(row(at + 2 * distance), row(at + 3 * distance), roots[root]);
        butterfly(row(at), row(at + 2 * distance), roots[root + half]);
        butterfly(row(at + distance), row(at + 3 * distance), roots[root + 2 * half]);
    }
    void one_level(std::size_t at, std::size_t distance, std::size_t root) const {
        butterfly(row(at), row(at + distance), roots[root]);
    }
};

template <class Fr>
void scale_row(Fr* row, const Fr& factor) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) row[lane] *= factor;
}

template <class Fr>
class TwistWalk {
public:
    explicit TwistWalk(const Group<Fr>& group) : ratio_(group.twist_ratio) {
        std::copy(group.twist_start, group.twist_start + kLanes, power_);
    }
    void apply(Fr* row) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            row[lane] *= power_[lane];
            power_[lane] *= ratio_[lane];
        }
    }

private:
    const Fr* ratio_;
    Fr power_[kLanes];
};

}  // namespace

std::size_t scalar_scratch_words(unsigned log_length) {
    return scratch_rows(log_length) * kLanes * (sizeof(Bn254Fr) / sizeof(u64));
}

template <class Fr>
void run_group_scalar(const Group<Fr>& group, u64* scratch) {
    const std::size_t length = std::size_t{1} << group.log_length;
    Fr* const rows = reinterpret_cast<Fr*>(scratch);
    const auto row = [&](std::size_t i) { return rows + scratch_row(i) * kLanes; };

    TwistWalk<Fr> twist(group);
    for (std::size_t n = 0; n < length; ++n) {
        Fr* const target = row(reverse_bits(n, group.log_length));
        const Fr* const source = group.data + n * group.row_stride;
        for (std::size_t lane = 0; lane < kLanes; ++lane) target[lane] = source[lane * group.lane_stride];
        if (group.before) scale_row(target, group.before.plain[n]);
        if (group.twist == Twist::kBefore) twist.apply(target);
    }

    all_levels(ScalarEngine<Fr>{rows, group.first.plain}, group.log_length);

    if (group.second) {
        for (std::size_t i = 0; i < length; ++i) {
            if (group.between) scale_row(row(i), group.between.plain[i]);
            if (const std::size_t j = reverse_bits(i, group.log_length); j < i)
                std::swap_ranges(row(i), row(i) + kLanes, row(j));
        }
        all_levels(ScalarEngine<Fr>{rows, group.second.plain}, group.log_length);
    }

    for (std::size_t k = 0; k < length; ++k) {
        Fr* const source = row(k);
        if (group.after) scale_row(source, group.after.plain[k]);
        if (group.twist == Twist::kAfter) twist.apply(source);
        Fr* const target = group.data + rotate_left(k, group.log_length, group.log_fold) * group.row_stride;
        for (std::size_t lane = 0; lane < kLanes; ++lane) target[lane * group.lane_stride] = source[lane];
    }
}

template void run_group_scalar(const Group<Bls12_381Fr>&, u64*);
template void run_group_scalar(const Group<Bn254Fr>&, u64*);

}  // namespace cuzk::ntt
