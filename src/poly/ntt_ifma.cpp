// A group on AVX-512 IFMA vectors. The scratch holds the rows as 5 vectors of 52-bit limbs, one lane a
// column, from the load to the store of a pass; limbs are carried only where a product needs it, values are
// reduced only at the store.
//
// Bounds: rows come in below 2p. The first two levels (whose factors are 1 but for one) leave at most 8p,
// each further one adds less than 3p, the bound of a product: at most 35p after 11 levels, below 2^260 in
// both fields.
#include "field/limbs52.hpp"
#include "poly/group.hpp"
#include "poly/levels.hpp"
#include "poly/shoup_ifma.hpp"

namespace cuzk::ifma {
namespace {

using ntt::kPreparedWords;

template <class P>
constexpr bool kBoundsHold = Limbs52<P>::multiple(8 + 3 * (ntt::kMaxLogLength - 2)).limb[4] < (u64{1} << 52);

template <class P>
CUZK_LANES_INLINE Lanes<P> load_row(const Vec* row) {
    Lanes<P> r;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < 5; ++i) r.l[i] = _mm512_load_si512(row + i);
    return r;
}

template <class P>
CUZK_LANES_INLINE void store_row(Vec* row, const Lanes<P>& a) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < 5; ++i) _mm512_store_si512(row + i, a.l[i]);
}

template <class P>
struct VectorEngine {
    Vec* rows;
    const u64* roots;

    CUZK_LANES_INLINE Vec* row(std::size_t at) const { return rows + 5 * at; }
    CUZK_LANES_INLINE SharedFactor root(std::size_t i) const { return {roots + kPreparedWords * i}; }

    CUZK_LANES_INLINE static void butterfly(Lanes<P>& a, Lanes<P>& b, SharedFactor w) {
        const Lanes<P> t = shoup_mul_wrapped(unwrap(b), w);
        b = add_multiple<3>(sub_loose(a, t));
        a = add_loose(a, t);
    }
    [[gnu::noinline]] void first_two_levels(std::size_t at, std::size_t distance) const {
        const Lanes<P> x0 = load_row<P>(row(at)), x1 = load_row<P>(row(at + distance));
        const Lanes<P> x2 = load_row<P>(row(at + 2 * distance)), x3 = load_row<P>(row(at + 3 * distance));
        const Lanes<P> y0 = add_loose(x0, x1), y1 = add_multiple<2>(sub_loose(x0, x1));
        const Lanes<P> y2 = add_loose(x2, x3), y3 = add_multiple<2>(sub_loose(x2, x3));
        store_row(row(at), add_loose(y0, y2));
        store_row(row(at + 2 * distance), add_multiple<4>(sub_loose(y0, y2)));
        const Lanes<P> t = shoup_mul_wrapped(normalize(y3), root(3));
        store_row(row(at + distance), add_loose(y1, t));
        store_row(row(at + 3 * distance), add_multiple<3>(sub_loose(y1, t)));
    }
    [[gnu::noinline]] void two_levels(std::size_t at, std::size_t distance, std::size_t first,
                                      std::size_t half) const {
        Lanes<P> x0 = load_row<P>(row(at)), x1 = load_row<P>(row(at + distance));
        butterfly(x0, x1, root(first));
        Lanes<P> x2 = load_row<P>(row(at + 2 * distance)), x3 = load_row<P>(row(at + 3 * distance));
        butterfly(x2, x3, root(first));
        butterfly(x0, x2, root(first + half));
        store_row(row(at), x0);
        store_row(row(at + 2 * distance), x2);
        butterfly(x1, x3, root(first + 2 * half));
        store_row(row(at + distance), x1);
        store_row(row(at + 3 * distance), x3);
    }
    [[gnu::noinline]] void one_level(std::size_t at, std::size_t distance, std::size_t first) const {
        Lanes<P> a = load_row<P>(row(at)), b = load_row<P>(row(at + distance));
        butterfly(a, b, root(first));
        store_row(row(at), a);
        store_row(row(at + distance), b);
    }
};

// Rows that go through the steps of a load or store together: a row's products wait for each other, so one
// row at a time would leave the multipliers idle.
constexpr std::size_t kRowsAtOnce = 4;

// Rows of a column pass lie pages apart, where the processor does not prefetch by itself.
constexpr std::size_t kPrefetchRows = 16;

CUZK_LANES_INLINE void prefetch_row(const u64* first) {
    for (std::size_t line = 0; line < 4; ++line)
        _mm_prefetch(reinterpret_cast<const char*>(first + 8 * line), _MM_HINT_T0);
}

// start ratio^n of each lane as the product of two prepared factors, start ratio^low and ratio^(n - low),
// where low is n modulo 2^kLow: about 2 sqrt(rows) factors to prepare instead of one a row.
constexpr unsigned twist_low_bits(unsigned log_length) {
    return (log_length + 1) / 2;
}
constexpr std::size_t twist_factors(unsigned log_length) {
    return (std::size_t{1} << twist_low_bits(log_length)) + (std::size_t{1} << (log_length / 2));
}

template <class P>
class LaneTwist {
public:
    // `memory` takes 10 vectors for each of twist_factors().
    CUZK_LANES_INLINE LaneTwist(unsigned log_length, Vec* memory)
        : log_length_(log_length),
          low_bits_(twist_low_bits(log_length)),
          low_(memory),
          high_(memory + (kPreparedWords << low_bits_)) {}

    // Raw start and ratio of 8 lanes.
    CUZK_LANES_INLINE void prepare(const u64* start, const u64* ratio) {
        static constexpr auto kToLanes = Lanes<P>::kToLanes;
        const Lanes<P> convert = Lanes<P>::template constant<kToLanes>();
        Lanes<P> step = mul(Lanes<P>::load_dense(ratio), convert);
        step = fill(low_, low_bits_, mul(Lanes<P>::load_dense(start), convert), step);
        fill(high_, log_length_ / 2, Lanes<P>::one(), step);
    }
    // x[r] times the factor of row n + r.
    CUZK_LANES_INLINE void apply(Lanes<P> (&x)[kRowsAtOnce], std::size_t n) const {
        const std::size_t high = n >> low_bits_;  // one for all of them: low_bits_ >= 2
        const std::size_t low = n & ((std::size_t{1} << low_bits_) - 1);
        for (std::size_t r = 0; r < kRowsAtOnce; ++r)
            x[r] = shoup_mul(x[r], LaneFactor{low_ + kPreparedWords * (low + r)});
        if (high == 0) return;
        for (std::size_t r = 0; r < kRowsAtOnce; ++r)
            x[r] = shoup_mul(x[r], LaneFactor{high_ + kPreparedWords * high});
    }

private:
    // out[i] = first step^i for i < 2^bits, prepared; returns step^(2^bits). The list doubles each time, so
    // that the products of one round do not wait for each other.
    CUZK_LANES_INLINE static Lanes<P> fill(Vec* out, unsigned bits, const Lanes<P>& first, Lanes<P> step) {
        store_row(out, first);
        for (unsigned b = 0; b < bits; ++b) {
            const std::size_t have = std::size_t{1} << b;
            for (std::size_t i = 0; i < have; ++i)
                store_row(out + kPreparedWords * (have + i),
                          mul(load_row<P>(out + kPreparedWords * i), step));
            step = mul(step, step);
        }
        for (std::size_t i = 0; i < (std::size_t{1} << bits); ++i) {
            Vec* const entry = out + kPreparedWords * i;
            prepare_lanes(load_row<P>(entry), entry);
        }
        return step;
    }

    unsigned log_length_;
    unsigned low_bits_;
    Vec* low_;
    Vec* high_;
};

[[gnu::always_inline]] inline SharedFactor factor_of(const u64* list, std::size_t i) {
    return {list + kPreparedWords * i};
}

template <class Fr>
const u64* words(const Fr* elements) {
    return reinterpret_cast<const u64*>(elements);
}

template <class Fr>
void run(const ntt::Group<Fr>& group, u64* scratch) {
    using P = typename Fr::Params;
    static_assert(kBoundsHold<P> && sizeof(Fr) == 32);
    const unsigned log_length = group.log_length;
    const std::size_t length = std::size_t{1} << log_length;
    Vec* const rows = reinterpret_cast<Vec*>(scratch);
    const auto row = [&](std::size_t i) { return rows + 5 * ntt::scratch_row(i); };
    u64* const data = reinterpret_cast<u64*>(group.data);
    const std::size_t row_words = 4 * group.row_stride;
    const std::size_t lane_words = 4 * group.lane_stride;

    LaneTwist<P> twist(log_length, rows + 5 * ntt::scratch_rows(log_length));
    if (group.twist != ntt::Twist::kNone) twist.prepare(words(group.twist_start), words(group.twist_ratio));

    for (std::size_t n = 0; n < length; n += kRowsAtOnce) {
        Lanes<P> x[kRowsAtOnce];
        for (std::size_t r = 0; r < kRowsAtOnce; ++r) {
            const u64* const source = data + (n + r) * row_words;
            if (group.lane_stride == 1) prefetch_row(source + kPrefetchRows * row_words);
            x[r] = group.lane_stride == 1 ? Lanes<P>::load_dense(source) : Lanes<P>::load(source, lane_words);
        }
        if (group.before)
            for (std::size_t r = 0; r < kRowsAtOnce; ++r)
                x[r] = shoup_mul(x[r], factor_of(group.before.prepared, n + r));
        if (group.twist == ntt::Twist::kBefore) twist.apply(x, n);
        if (group.before || group.twist == ntt::Twist::kBefore)
            for (Lanes<P>& y : x) y = reduce_once<1>(y);
        for (std::size_t r = 0; r < kRowsAtOnce; ++r)
            store_row(row(ntt::reverse_bits(n + r, log_length)), x[r]);
    }

    ntt::all_levels(VectorEngine<P>{rows, group.first.prepared}, log_length);

    if (group.second) {
        const auto scaled = [&](std::size_t i) {
            const Lanes<P> x = unwrap(load_row<P>(row(i)));
            return group.between ? reduce_once<1>(shoup_mul(x, factor_of(group.between.prepared, i)))
                                 : reduce_far(x);
        };
        for (std::size_t i = 0; i < length; ++i) {
            const std::size_t j = ntt::reverse_bits(i, log_length);
            if (j < i) continue;
            const Lanes<P> x = scaled(i);
            if (j != i) store_row(row(i), scaled(j));
            store_row(row(j), x);
        }
        ntt::all_levels(VectorEngine<P>{rows, group.second.prepared}, log_length);
    }

    for (std::size_t k = 0; k < length; k += kRowsAtOnce) {
        Lanes<P> x[kRowsAtOnce];
        for (std::size_t r = 0; r < kRowsAtOnce; ++r) x[r] = unwrap(load_row<P>(row(k + r)));
        if (group.after)
            for (std::size_t r = 0; r < kRowsAtOnce; ++r)
                x[r] = shoup_mul(x[r], factor_of(group.after.prepared, k + r));
        if (group.twist == ntt::Twist::kAfter) twist.apply(x, k);
        if (group.after || group.twist == ntt::Twist::kAfter) {
            for (Lanes<P>& y : x) y = reduce_once<1>(y);
        } else {
            for (Lanes<P>& y : x) y = reduce_far(y);
        }
        if (group.last)
            for (Lanes<P>& y : x) y = reduce_once<1>(y);
        for (std::size_t r = 0; r < kRowsAtOnce; ++r) {
            u64* const target = data + ntt::rotate_left(k + r, log_length, group.log_fold) * row_words;
            if (group.lane_stride == 1)
                store_dense_unreduced(target, x[r]);
            else
                store_unreduced(target, x[r], lane_words);
        }
    }
}

}  // namespace
}  // namespace cuzk::ifma

namespace cuzk::ntt {

std::size_t vector_scratch_words(unsigned log_length) {
    return 8 * (5 * scratch_rows(log_length) + kPreparedWords * ifma::twist_factors(log_length));
}

template <class Fr>
void run_group_vector(const Group<Fr>& group, u64* scratch) {
    ifma::run(group, scratch);
}

template void run_group_vector(const Group<Bls12_381Fr>&, u64*);
template void run_group_vector(const Group<Bn254Fr>&, u64*);

}  // namespace cuzk::ntt
