#include "curve/pairing.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/parallel.hpp"
#include "curve/frobenius.hpp"
#include "curve/gt.hpp"
#include "curve/miller.hpp"
#include "curve/miller_lanes.hpp"
#include "field/batch_inverse.hpp"
#include "field/cpu.hpp"

namespace cuzk {

namespace {

using miller::Loop;
using miller::ScaledLine;
using miller::TwistPoint;

// Pairs that share the squarings of one loop; more would not save much and less work would be left for other threads.
constexpr std::size_t kChunk = 32;

// Calls double_line() and add_line(q) in the order of the loop, and square() before each doubling but the first.
template <class C, class Square, class Double, class Add>
void walk(const Square& square, const Double& double_line, const Add& add_line) {
    bool first = true;
    for (const signed char digit : Loop<C>::kDigits) {
        if (!first) square();
        first = false;
        double_line();
        if (digit != 0) add_line(digit);
    }
}

// One point on its way through the loop.
template <class C>
class TwistWalker {
public:
    using F2 = typename C::G2::Field;

    explicit TwistWalker(const Affine<typename C::G2>& q) : q_(q), t_{q.x, q.y, F2::one()} {}

    ScaledLine<F2> double_line() { return miller::double_step<C>(t_); }
    ScaledLine<F2> add_line(int digit) { return miller::add_step<C>(t_, q_.x, digit > 0 ? q_.y : -q_.y); }
    // The closing lines of a BN loop: T + pi(Q), then that - pi^2(Q).
    ScaledLine<F2> first_frobenius_line() {
        q_ = TwistFrobenius<C>::get()(q_);
        return miller::add_step<C>(t_, q_.x, q_.y);
    }
    ScaledLine<F2> second_frobenius_line() {
        q_ = TwistFrobenius<C>::get()(q_);
        return miller::add_step<C>(t_, q_.x, -q_.y);
    }

private:
    Affine<typename C::G2> q_;
    TwistPoint<F2> t_;
};

template <class C>
[[gnu::noinline]] void multiply_by_line(typename C::Gt& f, const ScaledLine<typename C::G2::Field>& line,
                                        const Affine<typename C::G1>& p) {
    if constexpr (C::kTwist == Twist::kM) {
        f = mul_by_014(f, line.offset, line.slope * p.x, line.vertical * p.y);
    } else {
        f = mul_by_034(f, line.vertical * p.y, line.slope * p.x, line.offset);
    }
}

// What a prepared line needs of the G1 point: the line is divided by P.y, which the final exponentiation does not see.
template <class C>
struct Evaluation {
    typename C::Fp minus_x_over_y;
    typename C::Fp one_over_y;
};

template <class C>
[[gnu::noinline]] void multiply_by_line(typename C::Gt& f, const typename G2Prepared<C>::Line& line,
                                        const Evaluation<C>& p) {
    if constexpr (C::kTwist == Twist::kM) {
        f = mul_by_01_monic(f, line.offset * p.one_over_y, line.slope * p.minus_x_over_y);
    } else {
        f = mul_by_34_monic(f, line.slope * p.minus_x_over_y, line.offset * p.one_over_y);
    }
}

template <class C>
[[gnu::noinline]] typename C::Gt square(const typename C::Gt& f) {
    return f.square();
}

template <class C>
[[gnu::noinline]] typename C::Gt multiply(const typename C::Gt& a, const typename C::Gt& b) {
    return a * b;
}

// Fewer pairs are done sooner one by one.
constexpr std::size_t kMinLanes = 4;

// The product of the Miller loops of pairs without infinity, in vectors.
template <class C>
typename C::Gt loop_in_lanes(std::span<const PairingPair<C>* const> pairs) {
    using Gt = typename C::Gt;
    static_assert(sizeof(PairingPair<C>) == 6 * sizeof(typename C::Fp) &&
                  sizeof(Gt) == 12 * sizeof(typename C::Fp));
    static_assert(kChunk <= kMillerLanesPairs);
    std::array<const u64*, kChunk> words;
    for (std::size_t i = 0; i < pairs.size(); ++i) words[i] = pairs[i]->p.x.montgomery().limb;
    std::array<Gt, 8> parts;
    miller_lanes<C>(words.data(), pairs.size(), TwistFrobenius<C>::get().cx.c0.montgomery().limb,
                    reinterpret_cast<u64*>(parts.data()));
    for (std::size_t i = 1; i < std::min<std::size_t>(pairs.size(), 8); ++i)
        parts[0] = multiply<C>(parts[0], parts[i]);
    return parts[0];
}

// The product of the Miller loops of pairs without infinity.
template <class C>
typename C::Gt loop(std::span<const PairingPair<C>* const> pairs,
                    std::span<const PreparedPair<C>* const> prepared) {
    using F = typename C::Fp;
    std::vector<TwistWalker<C>> walkers;
    walkers.reserve(pairs.size());
    for (const auto* pair : pairs) walkers.emplace_back(pair->q);

    std::vector<F> inverses;
    inverses.reserve(prepared.size());
    for (const auto* pair : prepared) inverses.push_back(pair->p.y);
    batch_inverse(std::span<F>(inverses));
    std::vector<Evaluation<C>> evaluations(prepared.size());
    for (std::size_t i = 0; i < prepared.size(); ++i) {
        evaluations[i] = {-(prepared[i]->p.x * inverses[i]), inverses[i]};
    }

    typename C::Gt f = C::Gt::one();
    std::size_t line = 0;
    const auto apply = [&](const auto& next_line) {
        for (std::size_t i = 0; i < pairs.size(); ++i)
            multiply_by_line<C>(f, next_line(walkers[i]), pairs[i]->p);
        for (std::size_t i = 0; i < prepared.size(); ++i) {
            multiply_by_line<C>(f, prepared[i]->q->lines()[line], evaluations[i]);
        }
        ++line;
    };
    walk<C>([&] { f = square<C>(f); }, [&] { apply([](auto& w) { return w.double_line(); }); },
            [&](int digit) { apply([digit](auto& w) { return w.add_line(digit); }); });
    if constexpr (Loop<C>::kFrobeniusLines) {
        apply([](auto& w) { return w.first_frobenius_line(); });
        apply([](auto& w) { return w.second_frobenius_line(); });
    }
    return f;
}

// Miller value of at most kChunk pairs of either kind, on this thread.
template <class C>
typename C::Gt miller_chunk(std::span<const PairingPair<C>> pairs,
                            std::span<const PreparedPair<C>> prepared) {
    std::vector<const PairingPair<C>*> finite;
    for (const auto& pair : pairs) {
        if (!pair.p.is_infinity() && !pair.q.is_infinity()) finite.push_back(&pair);
    }
    std::vector<const PreparedPair<C>*> finite_prepared;
    for (const auto& pair : prepared) {
        if (!pair.p.is_infinity() && !pair.q->is_infinity()) finite_prepared.push_back(&pair);
    }
    typename C::Gt f;
    if (finite.size() >= kMinLanes && active_isa() == Isa::kIfma) {
        f = loop_in_lanes<C>(finite);
        if (!finite_prepared.empty()) f = multiply<C>(f, loop<C>({}, finite_prepared));
    } else {
        f = loop<C>(finite, finite_prepared);
    }
    // f_{-n} is 1 / f_n up to a factor that the final exponentiation removes, and there inversion is conjugation.
    return C::kXIsNegative ? f.conjugate() : f;
}

// f^x in the cyclotomic subgroup.
template <class C>
typename C::Gt power_x(const typename C::Gt& f) {
    typename C::Gt r = f;
    for (int i = std::bit_width(C::kX) - 2; i >= 0; --i) {
        r = cyclotomic_square(r);
        if (((C::kX >> i) & 1) != 0) r = multiply<C>(r, f);
    }
    return C::kXIsNegative ? r.conjugate() : r;
}

// f^(3 (p^4 - p^2 + 1) / r) = f^((x - 1)^2 (x + p) (x^2 + p^2 - 1) + 3)
[[gnu::noinline]] Bls12_381::Gt hard_part(const Bls12_381::Gt& f, Bls12_381) {
    using C = Bls12_381;
    const auto power_x_minus_1 = [](const C::Gt& a) { return multiply<C>(power_x<C>(a), a.conjugate()); };
    C::Gt t = power_x_minus_1(power_x_minus_1(f));
    t = multiply<C>(power_x<C>(t), frobenius<1>(t));
    t = multiply<C>(multiply<C>(power_x<C>(power_x<C>(t)), frobenius<2>(t)), t.conjugate());
    return multiply<C>(t, multiply<C>(cyclotomic_square(f), f));
}

// f^(2 x (6 x^2 + 3 x + 1) (p^4 - p^2 + 1) / r), written in base p with the digits
//   12 x^3 + 12 x^2 + 6 x + 1,  12 x^3 + 6 x^2 + 4 x,  12 x^3 + 6 x^2 + 6 x,  12 x^3 + 6 x^2 + 4 x - 1.
[[gnu::noinline]] Bn254::Gt hard_part(const Bn254::Gt& f, Bn254) {
    using C = Bn254;
    const C::Gt f2x = cyclotomic_square(power_x<C>(f));
    const C::Gt f6x = multiply<C>(cyclotomic_square(f2x), f2x);
    const C::Gt f6xx = power_x<C>(f6x);
    const C::Gt f12xxx = power_x<C>(cyclotomic_square(f6xx));
    const C::Gt digit2 = multiply<C>(multiply<C>(f12xxx, f6xx), f6x);
    const C::Gt digit1 = multiply<C>(digit2, f2x.conjugate());
    const C::Gt digit0 = multiply<C>(multiply<C>(digit2, f6xx), f);
    const C::Gt digit3 = multiply<C>(digit1, f.conjugate());
    return multiply<C>(multiply<C>(digit0, frobenius<1>(digit1)),
                       multiply<C>(frobenius<2>(digit2), frobenius<3>(digit3)));
}

}  // namespace

template <class C>
G2Prepared<C>::G2Prepared(const Affine<typename C::G2>& q) {
    if (q.is_infinity()) return;
    std::vector<ScaledLine<F2>> scaled;
    scaled.reserve(miller::line_count<C>());
    TwistWalker<C> walker(q);
    walk<C>([] {}, [&] { scaled.push_back(walker.double_line()); },
            [&](int digit) { scaled.push_back(walker.add_line(digit)); });
    if constexpr (Loop<C>::kFrobeniusLines) {
        scaled.push_back(walker.first_frobenius_line());
        scaled.push_back(walker.second_frobenius_line());
    }
    std::vector<F2> inverses(scaled.size());
    for (std::size_t i = 0; i < scaled.size(); ++i) inverses[i] = scaled[i].vertical;
    batch_inverse(std::span<F2>(inverses));
    lines_.reserve(scaled.size());
    for (std::size_t i = 0; i < scaled.size(); ++i) {
        lines_.push_back({-(scaled[i].slope * inverses[i]), scaled[i].offset * inverses[i]});
    }
}

template <class C>
typename C::Gt multi_miller_loop(std::span<const PairingPair<C>> pairs,
                                 std::span<const PreparedPair<C>> prepared) {
    const std::size_t chunks = (pairs.size() + kChunk - 1) / kChunk;
    if (chunks <= 1 && prepared.size() <= kChunk) return miller_chunk<C>(pairs, prepared);
    const std::size_t prepared_chunks = (prepared.size() + kChunk - 1) / kChunk;
    std::vector<typename C::Gt> values(chunks + prepared_chunks);
    const auto chunk_of = [](const auto& all, std::size_t i) {
        return all.subspan(i * kChunk, std::min(kChunk, all.size() - i * kChunk));
    };
    parallel_for(0, values.size(), [&](std::size_t i) {
        values[i] = i < chunks ? miller_chunk<C>(chunk_of(pairs, i), {})
                               : miller_chunk<C>({}, chunk_of(prepared, i - chunks));
    });
    typename C::Gt f = values[0];
    for (std::size_t i = 1; i < values.size(); ++i) f *= values[i];
    return f;
}

template <class C>
typename C::Gt final_exponentiation(const typename C::Gt& f) {
    // Easy part: f^((p^6 - 1) (p^2 + 1)) is in the cyclotomic subgroup.
    typename C::Gt g = multiply<C>(f.conjugate(), f.inverse());
    g = multiply<C>(frobenius<2>(g), g);
    return hard_part(g, C{});
}

template <class C>
typename C::Gt pairing(const Affine<typename C::G1>& p, const Affine<typename C::G2>& q) {
    const PairingPair<C> pair{p, q};
    return multi_pairing<C>(std::span<const PairingPair<C>>(&pair, 1));
}

template <class C>
typename C::Gt multi_pairing(std::span<const PairingPair<C>> pairs,
                             std::span<const PreparedPair<C>> prepared) {
    return final_exponentiation<C>(multi_miller_loop<C>(pairs, prepared));
}

template <class C>
typename C::Gt gt_pow(const typename C::Gt& a, const typename C::Fr::Int& k) {
    typename C::Gt r = C::Gt::one();
    for (std::size_t i = k.bit_length(); i-- > 0;) {
        r = cyclotomic_square(r);
        if (k.bit(i)) r = multiply<C>(r, a);
    }
    return r;
}

#define CUZK_DEFINE_PAIRING(C)                                                                              \
    template class G2Prepared<C>;                                                                           \
    template C::Gt multi_miller_loop<C>(std::span<const PairingPair<C>>, std::span<const PreparedPair<C>>); \
    template C::Gt final_exponentiation<C>(const C::Gt&);                                                   \
    template C::Gt pairing<C>(const Affine<C::G1>&, const Affine<C::G2>&);                                  \
    template C::Gt multi_pairing<C>(std::span<const PairingPair<C>>, std::span<const PreparedPair<C>>);     \
    template C::Gt gt_pow<C>(const C::Gt&, const C::Fr::Int&)
CUZK_DEFINE_PAIRING(Bls12_381);
CUZK_DEFINE_PAIRING(Bn254);
#undef CUZK_DEFINE_PAIRING

}  // namespace cuzk
