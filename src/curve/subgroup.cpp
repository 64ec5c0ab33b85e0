#include "curve/subgroup.hpp"

#include <algorithm>
#include <array>

#include "curve/endomorphism.hpp"
#include "curve/parallel_search.hpp"
#include "curve/subgroup_lanes.hpp"
#include "field/cpu.hpp"

namespace cuzk {

namespace {

// |x| p
template <class C, class Point>
auto times_x(const Point& p) {
    auto r = Jacobian<typename Point::Group>::infinity() + p;
    for (std::size_t i = BigInt<1>::from_u64(C::kX).bit_length() - 1; i-- > 0;) {
        r = r.dbl();
        if (((C::kX >> i) & 1) != 0) r += p;
    }
    return r;
}

// Without the inversion that a conversion to affine coordinates would take.
template <class G>
bool equal(const Jacobian<G>& a, const Affine<G>& b) {
    return a == Jacobian<G>::from_affine(b);
}

bool check(const Affine<Bls12_381G1>& p) {
    const auto xxp = times_x<Bls12_381>(times_x<Bls12_381>(p));
    return equal(-xxp, CubeRootEndomorphism<Bls12_381>::get()(p));
}

bool check(const Affine<Bls12_381G2>& q) {
    static_assert(Bls12_381::kXIsNegative);
    return equal(-times_x<Bls12_381>(q), TwistFrobenius<Bls12_381>::get()(q));
}

bool check(const Affine<Bn254G1>& /*p*/) {
    return true;
}

bool check(const Affine<Bn254G2>& q) {
    static_assert(!Bn254::kXIsNegative);
    const auto xq = times_x<Bn254>(q);
    const auto& psi = TwistFrobenius<Bn254>::get();
    const auto psi1 = psi(xq);
    const auto psi2 = psi(psi1);
    const auto psi3 = psi(psi2);
    return xq + q + psi1 + psi2 == psi3.dbl();
}

constexpr std::size_t kLanes = 8;

// The words of the constants that the lanes need.
template <class G>
const u64* endomorphism_words() {
    if constexpr (std::is_same_v<G, Bls12_381G1>) {
        return CubeRootEndomorphism<Bls12_381>::get().beta.montgomery().limb;
    } else if constexpr (std::is_same_v<G, Bls12_381G2>) {
        return TwistFrobenius<Bls12_381>::get().cx.c0.montgomery().limb;
    } else {
        return TwistFrobenius<Bn254>::get().cx.c0.montgomery().limb;
    }
}

// A bit for each point that is in the subgroup.
template <class G>
u8 inside_mask(std::span<const Affine<G>, kLanes> points) {
    const Affine<G> generator = Affine<G>::generator();
    const u64* rows[kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) {
        rows[i] = reinterpret_cast<const u64*>(points[i].is_infinity() ? &generator : &points[i]);
    }
    const LaneVerdicts verdicts = subgroup_lanes<G>(rows, endomorphism_words<G>());
    u8 inside = verdicts.inside;
    for (std::size_t i = 0; i < kLanes; ++i) {
        const unsigned bit = 1U << i;
        if (((verdicts.inside | verdicts.outside) & bit) == 0 && check(points[i]))
            inside |= static_cast<u8>(bit);
    }
    return inside;
}

}  // namespace

template <class G>
bool in_subgroup(const Affine<G>& p) {
    return p.is_infinity() || check(p);
}

template <class G>
std::optional<std::size_t> first_outside_subgroup(std::span<const Affine<G>> points) {
    if constexpr (std::is_same_v<G, Bn254G1>) {
        return std::nullopt;
    } else {
        const bool lanes = active_isa() == Isa::kIfma;
        std::size_t i = 0;
        for (; lanes && i + kLanes <= points.size(); i += kLanes) {
            const u8 fine = inside_mask<G>(points.subspan(i).template first<kLanes>());
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                if (((fine >> lane) & 1) == 0) return i + lane;
            }
        }
        for (; i < points.size(); ++i) {
            if (!in_subgroup(points[i])) return i;
        }
        return std::nullopt;
    }
}

template <class G>
std::optional<std::size_t> find_invalid(AffineView<G> points) {
    constexpr std::size_t kBlock = 8 * kLanes;
    constexpr std::size_t kBlocksPerTask = 2;
    const auto size_of = [&](std::size_t block) { return std::min(kBlock, points.size() - block * kBlock); };
    const auto block =
        first_failure((points.size() + kBlock - 1) / kBlock, kBlocksPerTask, [&](std::size_t index) {
            std::array<Affine<G>, kBlock> copy;
            for (std::size_t i = 0; i < size_of(index); ++i) {
                copy[i] = points[index * kBlock + i];
                if (!copy[i].is_on_curve()) return true;
            }
            return first_outside_subgroup(std::span<const Affine<G>>(copy.data(), size_of(index)))
                .has_value();
        });
    if (!block) return std::nullopt;
    std::size_t i = *block * kBlock;
    while (is_valid(points[i])) ++i;
    return i;
}

#define CUZK_DEFINE_SUBGROUP(G)                                                             \
    template bool in_subgroup(const Affine<G>&);                                            \
    template std::optional<std::size_t> first_outside_subgroup(std::span<const Affine<G>>); \
    template std::optional<std::size_t> find_invalid(AffineView<G>)
CUZK_DEFINE_SUBGROUP(Bls12_381G1);
CUZK_DEFINE_SUBGROUP(Bls12_381G2);
CUZK_DEFINE_SUBGROUP(Bn254G1);
CUZK_DEFINE_SUBGROUP(Bn254G2);
#undef CUZK_DEFINE_SUBGROUP

}  // namespace cuzk
