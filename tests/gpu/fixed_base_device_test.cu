// Multiples of a base on the device against those of the host.
#include "base/error.hpp"
#include "gpu/device_test.hpp"
#include "gpu/fixed_base.hpp"
#include "msm/fixed_base.hpp"

namespace cuzk {
namespace {

template <class G>
class FixedBaseDeviceTest : public testing_gpu::DeviceTest {
protected:
    using Fr = typename G::Scalar;
    using Point = Affine<G>;

    std::vector<Point> on_device(const Point& base, const std::vector<Fr>& scalars, std::size_t planned) {
        const gpu::Arena::Scope scope(*arena_);
        const gpu::DeviceFixedBase<G> multiples(*arena_, base, planned, *stream_);
        const auto out = arena_->template take<Point>(scalars.size(), "points");
        if (!scalars.empty()) multiples.multiply(*arena_, upload(scalars), out, *stream_);
        return download(out);
    }
    // `planned` chooses the width of the windows.
    void compare(const Point& base, const std::vector<Fr>& scalars, std::size_t planned) {
        const auto found = on_device(base, scalars, planned);
        const auto expected = fixed_base_mul<G>(base, scalars);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < scalars.size(); ++i) wrong += found[i] == expected[i] ? 0 : 1;
        EXPECT_EQ(wrong, 0u) << "of " << scalars.size() << ", planned for " << planned;
    }
    Point base(u64 k) const {
        return (Jacobian<G>::from_affine(Point::generator()) * Fr::from_u64(k)).to_affine();
    }
    static std::vector<Fr> random_scalars(std::size_t count, u64 seed) {
        SeededRandom random(seed);
        std::vector<Fr> scalars(count);
        for (Fr& s : scalars) s = Fr::random(random);
        return scalars;
    }
};

using Groups = testing::Types<Bls12_381G1, Bls12_381G2, Bn254G1, Bn254G2>;
TYPED_TEST_SUITE(FixedBaseDeviceTest, Groups);

TYPED_TEST(FixedBaseDeviceTest, RandomScalarsAgreeWithHost) {
    for (const std::size_t count : testing_gpu::sizes_up_to(4097, {0, 1, 2, 127, 128, 129, 4097, 20000}))
        this->compare(this->base(count + 5), this->random_scalars(count, count), count);
}

// Each width of the windows, the largest table too.
TYPED_TEST(FixedBaseDeviceTest, AllWidthsAgreeWithHost) {
    const auto scalars = this->random_scalars(testing_gpu::sized(1000, 100), 3);
    for (std::size_t planned = 1; planned <= std::size_t{1} << testing_gpu::sized(30, 16); planned *= 4)
        this->compare(this->base(planned), scalars, planned);
}

// Zero, small multiples, their negatives, ends of windows: sums that meet infinity, equal and opposite points.
TYPED_TEST(FixedBaseDeviceTest, ExtremeScalarsAgreeWithHost) {
    using Fr = typename TypeParam::Scalar;
    std::vector<Fr> scalars;
    for (u64 i = 0; i < 40; ++i) {
        scalars.push_back(Fr::from_u64(i));
        scalars.push_back(-Fr::from_u64(i));
    }
    Fr power = Fr::one();
    for (unsigned i = 0; i < 256; ++i, power = power.dbl())
        for (const Fr& x : {power, power + Fr::one(), power - Fr::one(), -power}) scalars.push_back(x);
    for (const std::size_t planned : testing_gpu::sizes_up_to(1000, {1, 1000, 1000000, 1000000000}))
        this->compare(this->base(1), scalars, planned);
}

TYPED_TEST(FixedBaseDeviceTest, MultiplesOfInfinityAreInfinity) {
    this->compare(Affine<TypeParam>::infinity(), this->random_scalars(300, 1), 300);
}

TYPED_TEST(FixedBaseDeviceTest, ManyScalarsAgreeWithHost) {
    this->compare(this->base(77), this->random_scalars(testing_gpu::sized(300001, 3001), 9),
                  std::size_t{1} << testing_gpu::sized(27, 18));
}

TYPED_TEST(FixedBaseDeviceTest, DifferentLengthsAreRefused) {
    const gpu::DeviceFixedBase<TypeParam> multiples(*this->arena_, this->base(1), 10, *this->stream_);
    const auto scalars = this->upload(this->random_scalars(3, 1));
    const auto out = this->arena_->template take<Affine<TypeParam>>(4, "points");
    EXPECT_THROW(multiples.multiply(*this->arena_, scalars, out, *this->stream_), Error);
}

}  // namespace
}  // namespace cuzk
