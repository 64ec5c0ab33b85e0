#include "poly/transform.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "base/parallel.hpp"
#include "field/cpu.hpp"
#include "poly/group.hpp"

namespace cuzk::ntt {

namespace {

constexpr unsigned kMinLogSize = 6;                             // two digits of 8 rows or columns each
constexpr std::size_t kElementsPerTask = std::size_t{1} << 12;  // some 10 us of work

// How the index splits into digits, highest first.
struct Plan {
    unsigned digits;
    unsigned log_length[3];
    unsigned log_outer;  // length of the last digit, and of the first or the first but its top bit
    unsigned log_fold;   // 1 if the first digit is one bit longer

    explicit Plan(unsigned log_size) {
        if (log_size <= 2 * kMaxLogLength) {
            log_outer = log_size / 2;
            log_fold = log_size % 2;
            digits = 2;
            log_length[0] = log_outer + log_fold;
            log_length[1] = log_outer;
        } else {
            log_outer = (log_size + 1) / 3;
            log_fold = 0;
            digits = 3;
            log_length[0] = log_outer;
            log_length[1] = log_size - 2 * log_outer;
            log_length[2] = log_outer;
        }
    }
};

// Scratch of this thread, kept for its life: at most 0.75 MiB.
u64* thread_scratch(std::size_t words) {
    constexpr std::size_t kAlign = 64;
    struct Free {
        void operator()(u64* p) const { ::operator delete[](p, std::align_val_t{kAlign}); }
    };
    thread_local std::unique_ptr<u64[], Free> memory;
    thread_local std::size_t held = 0;
    if (held < words) {
        memory.reset();
        held = 0;
        memory.reset(static_cast<u64*>(::operator new[](words * sizeof(u64), std::align_val_t{kAlign})));
        held = words;
    }
    return memory.get();
}

// start base^j for 8 consecutive j.
template <class Fr>
class LanePowers {
public:
    LanePowers(const Fr& base, std::size_t j) : step_(base.pow(kLanes)) {
        value_[0] = base.pow(j);
        for (std::size_t lane = 1; lane < kLanes; ++lane) value_[lane] = value_[lane - 1] * base;
    }
    const Fr& operator[](std::size_t lane) const { return value_[lane]; }
    void advance() {
        for (Fr& x : value_) x *= step_;
    }

private:
    Fr value_[kLanes];
    Fr step_;
};

// One pass: what is common to its groups, and how the twist of a column comes about. The twist of the column
// with index j below the transformed digit is scale start_base^j (ratio ratio_base^j)^row.
template <class Fr>
struct Pass {
    Group<Fr> group;
    Fr scale = Fr::one();
    Fr start_base = Fr::one();
    Fr ratio = Fr::one();
    Fr ratio_base = Fr::one();
};

template <class Fr>
class Passes {
public:
    explicit Passes(std::span<Fr> values)
        : values_(values),
          plan_(static_cast<unsigned>(std::countr_zero(values.size()))),
          vectors_(active_isa() == Isa::kIfma) {}

    unsigned digits() const { return plan_.digits; }
    unsigned log_fold() const { return plan_.digits == 2 ? plan_.log_fold : 0; }
    bool vectors() const { return vectors_; }
    std::size_t length(unsigned digit) const { return std::size_t{1} << plan_.log_length[digit]; }
    // Elements between neighbours along a digit.
    std::size_t stride(unsigned digit) const {
        std::size_t r = 1;
        for (unsigned d = digit + 1; d < plan_.digits; ++d) r *= length(d);
        return r;
    }
    // Distance of the output index between neighbours along a digit before the digits are reversed.
    std::size_t output_stride(unsigned digit) const {
        std::size_t r = 1;
        for (unsigned d = 0; d < digit; ++d) r *= length(d);
        return r;
    }

    void run(unsigned digit, const Pass<Fr>& pass) const {
        const std::size_t inner = stride(digit);
        const std::size_t block = inner * length(digit);
        const bool along_rows = inner == 1;
        const std::size_t groups = values_.size() / (kLanes * length(digit));
        const std::size_t groups_per_block = along_rows ? 1 : inner / kLanes;
        const std::size_t grain = std::max<std::size_t>(1, kElementsPerTask / (kLanes * length(digit)));
        const std::size_t scratch_words = vectors_ ? vector_scratch_words(plan_.log_length[digit])
                                                   : scalar_scratch_words(plan_.log_length[digit]);

        parallel_ranges(0, groups, grain, [&](std::size_t first, std::size_t last) {
            u64* const scratch = thread_scratch(scratch_words);
            Group<Fr> group = pass.group;
            group.log_length = plan_.log_length[digit];
            group.row_stride = inner;
            group.lane_stride = along_rows ? block : 1;
            std::optional<LanePowers<Fr>> starts;
            std::optional<LanePowers<Fr>> ratios;
            for (std::size_t g = first; g < last; ++g) {
                const std::size_t column = along_rows ? 0 : kLanes * (g % groups_per_block);
                group.data = values_.data() +
                             (along_rows ? g * kLanes * block : g / groups_per_block * block + column);
                if (group.twist != Twist::kNone) {
                    if (!ratios || column == 0) {
                        starts.emplace(pass.start_base, column);
                        ratios.emplace(pass.ratio_base, column);
                    }
                    for (std::size_t lane = 0; lane < kLanes; ++lane) {
                        group.twist_start[lane] = pass.scale * (*starts)[lane];
                        group.twist_ratio[lane] = pass.ratio * (*ratios)[lane];
                    }
                    starts->advance();
                    ratios->advance();
                }
                if (vectors_)
                    run_group_vector(group, scratch);
                else
                    run_group_scalar(group, scratch);
            }
        });
    }

    // Reverses the digits: swaps the first and the last (a folded top bit in the middle).
    void reverse_digits() const {
        const std::size_t outer = std::size_t{1} << plan_.log_outer;
        const std::size_t middles = values_.size() >> (2 * plan_.log_outer);
        constexpr std::size_t kTile = 8;
        const std::size_t tiles = outer / kTile;
        const std::size_t row = outer * middles;
        Fr* const data = values_.data();
        // Work item i is row tile i / middles of middle digit i % middles.
        parallel_ranges(0, tiles * middles, std::max<std::size_t>(1, 512 / outer),
                        [&](std::size_t first, std::size_t last) {
                            for (std::size_t item = first; item < last; ++item) {
                                const std::size_t tile = item / middles;
                                Fr* const matrix = data + item % middles * outer;
                                for (std::size_t other = tile; other < tiles; ++other)
                                    for (std::size_t x = tile * kTile; x < (tile + 1) * kTile; ++x)
                                        for (std::size_t y = std::max(other * kTile, x + 1);
                                             y < (other + 1) * kTile; ++y)
                                            std::swap(matrix[x * row + y], matrix[y * row + x]);
                            }
                        });
    }

private:
    std::span<Fr> values_;
    Plan plan_;
    bool vectors_;
};

// Vectors too short for two digits.
template <class Fr>
void transform_short(std::span<Fr> v, const Factors<Fr>& table) {
    const auto log_size = static_cast<unsigned>(std::countr_zero(v.size()));
    for (std::size_t i = 0; i < v.size(); ++i)
        if (const std::size_t j = reverse_bits(i, log_size); i < j) std::swap(v[i], v[j]);
    for (std::size_t half = 1; half < v.size(); half *= 2)
        for (std::size_t start = 0; start < v.size(); start += 2 * half)
            for (std::size_t i = start; i < start + half; ++i) {
                const Fr t = v[i + half] * table.plain[half + i - start];
                v[i + half] = v[i] - t;
                v[i] += t;
            }
}

template <class Fr>
void scale_short(std::span<Fr> v, const Fr& first, const Fr& ratio) {
    Fr power = first;
    for (Fr& x : v) {
        x *= power;
        power *= ratio;
    }
}

template <class Fr>
bool is_short(std::span<Fr> values) {
    return values.size() < std::size_t{1} << kMinLogSize;
}

}  // namespace

// With N = L_0 L_1 .. and n = n_0 S_0 + n_1 S_1 + .. for strides S: pass d sums over n_d, whose place k_d
// takes, and multiplies by root^(k_d T_d j) for the lower part j of n, T_d being the output stride of digit
// d. The powers of the input ratio split into those of n_0 S_0, one a row of the first pass, and those of j,
// part of its twist; those of the output ratio into factors of k_d T_d, part of the twists of all passes but
// the last.
template <class Fr>
void transform(std::span<Fr> values, const RootSet<Fr>& roots, const std::optional<Fr>& in_ratio,
               const Fr& scale, const std::optional<Fr>& out_ratio) {
    if (is_short(values)) {
        if (in_ratio) scale_short(values, Fr::one(), *in_ratio);
        transform_short(values, roots.table);
        if (out_ratio || !scale.is_one()) scale_short(values, scale, out_ratio.value_or(Fr::one()));
        return;
    }

    const Passes<Fr> passes(values);
    FactorList<Fr> before;
    FactorList<Fr> after;
    for (unsigned d = 0; d < passes.digits(); ++d) {
        Pass<Fr> pass;
        pass.group.first = roots.table;
        if (d == 0) {
            pass.scale = scale;
            pass.group.log_fold = passes.log_fold();
            if (in_ratio) {
                before = power_list(Fr::one(), in_ratio->pow(passes.stride(d)), passes.length(d),
                                    passes.vectors());
                pass.group.before = before.view();
                pass.start_base = *in_ratio;
            }
        }
        if (d + 1 < passes.digits()) {
            pass.group.twist = Twist::kAfter;
            pass.ratio_base = roots.root.pow(passes.output_stride(d));
            if (out_ratio) pass.ratio = out_ratio->pow(passes.output_stride(d));
        } else {
            pass.group.last = true;
            if (out_ratio) {
                after = power_list(Fr::one(), out_ratio->pow(passes.output_stride(d)), passes.length(d),
                                   passes.vectors());
                pass.group.after = after.view();
            }
        }
        passes.run(d, pass);
    }
    passes.reverse_digits();
}

// The way back runs the passes in opposite order with the twists in front, so it takes the digits reversed as
// the way there left them. Both meet in the last digit, one pass for the two.
template <class Fr>
void transform_there_and_back(std::span<Fr> values, const RootSet<Fr>& there, const RootSet<Fr>& back,
                              const Fr& scale, const Fr& ratio) {
    if (is_short(values)) {
        transform_short(values, there.table);
        scale_short(values, scale, ratio);
        transform_short(values, back.table);
        return;
    }

    const Passes<Fr> passes(values);
    const unsigned last = passes.digits() - 1;
    for (unsigned d = 0; d < last; ++d) {
        Pass<Fr> pass;
        pass.group.first = there.table;
        pass.group.twist = Twist::kAfter;
        pass.ratio_base = there.root.pow(passes.output_stride(d));
        pass.ratio = ratio.pow(passes.output_stride(d));
        if (d == 0) pass.scale = scale;
        passes.run(d, pass);
    }

    const FactorList<Fr> between =
        power_list(Fr::one(), ratio.pow(passes.output_stride(last)), passes.length(last), passes.vectors());
    Pass<Fr> middle;
    middle.group.first = there.table;
    middle.group.between = between.view();
    middle.group.second = back.table;
    passes.run(last, middle);

    for (unsigned d = last; d-- > 0;) {
        Pass<Fr> pass;
        pass.group.twist = Twist::kBefore;
        pass.group.first = back.table;
        pass.group.last = d == 0;
        pass.ratio_base = back.root.pow(passes.output_stride(d));
        passes.run(d, pass);
    }
}

template void transform(std::span<Bls12_381Fr>, const RootSet<Bls12_381Fr>&,
                        const std::optional<Bls12_381Fr>&, const Bls12_381Fr&,
                        const std::optional<Bls12_381Fr>&);
template void transform(std::span<Bn254Fr>, const RootSet<Bn254Fr>&, const std::optional<Bn254Fr>&,
                        const Bn254Fr&, const std::optional<Bn254Fr>&);
template void transform_there_and_back(std::span<Bls12_381Fr>, const RootSet<Bls12_381Fr>&,
                                       const RootSet<Bls12_381Fr>&, const Bls12_381Fr&, const Bls12_381Fr&);
template void transform_there_and_back(std::span<Bn254Fr>, const RootSet<Bn254Fr>&, const RootSet<Bn254Fr>&,
                                       const Bn254Fr&, const Bn254Fr&);

}  // namespace cuzk::ntt
