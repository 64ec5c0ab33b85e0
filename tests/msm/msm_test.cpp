#include "msm/msm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "field/cpu.hpp"
#include "msm/msm_cases.hpp"

namespace cuzk {
namespace {

using namespace testing_msm;

constexpr Isa kPaths[] = {Isa::kPortable, Isa::kAdx, Isa::kIfma};

template <class G>
class Msm : public testing::Test {
protected:
    using Fr = typename G::Scalar;

    static void expect_on_all_paths(const Points<G>& points, const Ints<G>& scalars, const std::string& what,
                                    const MsmOptions& options = {}) {
        const Jacobian<G> want = expected<G>(points, scalars);
        for (const Isa isa : kPaths) {
            const IsaOverride path(isa);
            EXPECT_EQ(msm<G>(points.view(scalars.size()), scalars, options), want)
                << what << ", n = " << scalars.size() << ", " << isa_name(active_isa());
        }
    }
};
using Groups = testing::Types<Bls12_381G1, Bls12_381G2, Bn254G1, Bn254G2>;
TYPED_TEST_SUITE(Msm, Groups);

TYPED_TEST(Msm, DefinitionByKnownLogarithms) {
    using G = TypeParam;
    const auto points = random_points<G>(20, 1);
    const auto scalars = scalars_of(scalar_shapes<typename G::Scalar>()[0], 20);
    for (std::size_t n = 0; n <= 20; ++n) {
        const auto some = std::span(scalars).first(n);
        EXPECT_EQ(msm_naive<G>(points.view(n), some), expected<G>(points, some)) << n;
    }
}

TYPED_TEST(Msm, EverySmallSize) {
    using G = TypeParam;
    const auto points = random_points<G>(130, 1);
    const auto shapes = scalar_shapes<typename G::Scalar>();
    for (std::size_t n = 0; n <= 130; ++n) {
        this->expect_on_all_paths(points, scalars_of(shapes.front(), n), shapes.front().name);
        this->expect_on_all_paths(points, scalars_of(shapes.back(), n), shapes.back().name);
    }
}

TYPED_TEST(Msm, SizesAroundPowersOfTwo) {
    using G = TypeParam;
    const auto points = random_points<G>(8193, 3);
    const auto shapes = scalar_shapes<typename G::Scalar>();
    for (std::size_t log = 8; log <= 13; ++log)
        for (const std::size_t n :
             {(std::size_t{1} << log) - 1, std::size_t{1} << log, (std::size_t{1} << log) + 1})
            this->expect_on_all_paths(points, scalars_of(shapes.front(), n), "uniform");
}

TYPED_TEST(Msm, ScalarsOfEveryShape) {
    using G = TypeParam;
    const auto points = random_points<G>(3000, 4);
    for (const auto& shape : scalar_shapes<typename G::Scalar>())
        for (const std::size_t n : {7, 333, 3000})
            this->expect_on_all_paths(points, scalars_of(shape, n), shape.name);
}

TYPED_TEST(Msm, EveryWindowWidth) {
    using G = TypeParam;
    const auto points = random_points<G>(300, 5);
    const auto shapes = scalar_shapes<typename G::Scalar>();
    for (unsigned width = 2; width <= 20; ++width)
        for (const auto& shape : shapes) {
            // Wide windows have so many buckets that one shape, the hardest for the top window, has to do.
            if (width > 10 && shape.name != "top bits") continue;
            Ints<G> scalars = scalars_of(shape, 300);
            if (width > 10) std::ranges::copy(scalars_of(shapes.front(), 150), scalars.begin());
            EXPECT_EQ(msm<G>(points.view(300), scalars, {width}), expected<G>(points, scalars))
                << "window " << width << ", " << shape.name;
        }
}

TYPED_TEST(Msm, EqualOppositeAndInfiniteBases) {
    using G = TypeParam;
    using Fr = typename G::Scalar;
    constexpr std::size_t kSize = 700;
    SeededRandom random(6);
    const Fr k = Fr::random(random);
    std::vector<std::pair<std::string, std::vector<Fr>>> cases(6);
    cases[0].first = "all infinite";
    cases[1].first = "half infinite";
    cases[2].first = "all equal";
    cases[3].first = "alternating signs";
    cases[4].first = "arithmetic progression";
    cases[5].first = "infinite but for the last";
    for (std::size_t i = 0; i < kSize; ++i) {
        cases[0].second.push_back(Fr::zero());
        cases[1].second.push_back(i % 2 != 0 ? Fr::random(random) : Fr::zero());
        cases[2].second.push_back(k);
        cases[3].second.push_back(i % 2 != 0 ? k : -k);
        cases[4].second.push_back(Fr::from_u64(i + 1));
        cases[5].second.push_back(i + 1 == kSize ? k : Fr::zero());
    }
    for (const auto& [name, logarithms] : cases) {
        const auto points = points_of<G>(logarithms);
        for (const auto& shape : scalar_shapes<Fr>())
            for (const std::size_t n : {2, 9, 700})
                this->expect_on_all_paths(points, scalars_of(shape, n), name + ", " + shape.name);
        // Few buckets, so that sums meet sums: partial sums and chains see equal and opposite points as well.
        this->expect_on_all_paths(points, scalars_of(scalar_shapes<Fr>()[0], kSize),
                                  name + ", narrow windows", {2});
    }
}

TYPED_TEST(Msm, UnalignedBases) {
    using G = TypeParam;
    const auto points = random_points<G>(200, 7);
    const auto scalars = scalars_of(scalar_shapes<typename G::Scalar>()[0], 200);
    const std::size_t bytes = 200 * sizeof(Affine<G>);
    for (const std::size_t shift : {1, 3, 8, 20, 63}) {
        // Exactly sized, so that a sanitizer sees any read past the end.
        std::vector<u8> memory(bytes + shift);
        std::memcpy(memory.data() + shift, points.points.data(), bytes);
        const AffineView<G> view(std::span<const u8>(memory).subspan(shift));
        for (const Isa isa : kPaths) {
            const IsaOverride path(isa);
            EXPECT_EQ(msm<G>(view, scalars), expected<G>(points, scalars)) << shift;
        }
    }
}

TYPED_TEST(Msm, SameOnAnyNumberOfThreads) {
    using G = TypeParam;
    const auto points = random_points<G>(5000, 8);
    for (const auto& shape : scalar_shapes<typename G::Scalar>()) {
        const Ints<G> scalars = scalars_of(shape, 5000);
        const Jacobian<G> want = expected<G>(points, scalars);
        for (const std::size_t threads : {1, 2, 5}) {
            const ThreadLimit limit(threads);
            EXPECT_EQ(msm<G>(points.view(5000), scalars), want) << threads << " threads, " << shape.name;
        }
    }
}

TYPED_TEST(Msm, LinearInTheScalars) {
    using G = TypeParam;
    using Fr = typename G::Scalar;
    const std::size_t n = std::size_t{1} << (sizeof(typename G::Field) > 48 ? 14 : 16);
    const auto points = random_points<G>(n, 9);
    SeededRandom random(10);
    const Fr c = Fr::random(random);
    Ints<G> a(n);
    Ints<G> b(n);
    Ints<G> sum(n);
    for (std::size_t i = 0; i < n; ++i) {
        const Fr x = Fr::random(random);
        const Fr y = Fr::random(random);
        a[i] = x.to_int();
        b[i] = y.to_int();
        sum[i] = (x + c * y).to_int();
    }
    EXPECT_EQ(msm<G>(points.view(n), sum), msm<G>(points.view(n), a) + msm<G>(points.view(n), b) * c);
}

TYPED_TEST(Msm, RefusesUnequalSizes) {
    using G = TypeParam;
    const Ints<G> scalars(3);
    EXPECT_THROW(msm<G>(AffineView<G>(), scalars), Error);
    EXPECT_THROW(msm_naive<G>(AffineView<G>(), scalars), Error);
}

}  // namespace
}  // namespace cuzk
