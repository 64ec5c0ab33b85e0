// Fp2 on the device, whose products are its own: against the host.
#include "field/fp2.hpp"
#include "gpu/check.hpp"
#include "gpu/device_test.hpp"

namespace cuzk::testing_gpu {
namespace {

template <class F2>
struct Fp2Results {
    F2 product, square, inverse, difference;
};

template <class F2>
CUZK_HD Fp2Results<F2> compute(const F2& a, const F2& b) {
    return {a * b, a.square(), a.inverse(), a - b};
}

template <class F2>
__global__ void compute_kernel(const F2* a, const F2* b, Fp2Results<F2>* out, std::size_t count) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i < count) out[i] = compute(a[i], b[i]);
}

template <class F>
class Fp2DeviceTest : public DeviceTest {
protected:
    using F2 = Fp2<F>;

    void expect_equal(const std::vector<F2>& a, const std::vector<F2>& b) {
        const gpu::Arena::Scope scope(*arena_);
        const auto device_a = upload(a);
        const auto device_b = upload(b);
        const auto out = arena_->take<Fp2Results<F2>>(a.size(), "results");
        compute_kernel<<<static_cast<unsigned>((a.size() + 127) / 128), 128, 0, stream_->get()>>>(
            device_a.data, device_b.data, out.data, a.size());
        gpu::check_launch("compute_kernel");
        const auto results = download(out);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            const auto expected = compute(a[i], b[i]);
            const auto& got = results[i];
            wrong += got.product == expected.product && got.square == expected.square &&
                             got.inverse == expected.inverse && got.difference == expected.difference
                         ? 0
                         : 1;
        }
        EXPECT_EQ(wrong, 0u);
    }
};

using BaseFields = testing::Types<Bls12_381Fp, Bn254Fp>;
TYPED_TEST_SUITE(Fp2DeviceTest, BaseFields);

TYPED_TEST(Fp2DeviceTest, RandomElements) {
    using F2 = Fp2<TypeParam>;
    SeededRandom random(5);
    constexpr std::size_t kCount = std::size_t{1} << testing_gpu::sized(18, 13);
    std::vector<F2> a(kCount), b(kCount);
    for (auto& x : a) x = F2::random(random);
    for (auto& x : b) x = F2::random(random);
    this->expect_equal(a, b);
}

// All pairs of elements whose halves are at the ends of the range or full of ones.
TYPED_TEST(Fp2DeviceTest, ExtremeElements) {
    using F = TypeParam;
    using F2 = Fp2<F>;
    using Int = typename F::Int;
    std::vector<F> halves;
    const auto add = [&](const Int& x) {
        if (x < F::Params::kModulus) halves.push_back(F::from_montgomery(x));
    };
    for (u64 k = 0; k < 3; ++k) {
        add(Int::from_u64(k));
        Int x = F::Constants::kModulusMinusOne;
        x.sub(Int::from_u64(k));
        add(x);
    }
    add(F::Constants::kHalf);
    add(F::Constants::kR);
    for (std::size_t limb = 0; limb < F::kLimbs; ++limb) {
        Int ones;
        for (std::size_t i = 0; i <= limb; ++i) ones.limb[i] = ~u64{0};
        add(ones);
        Int bit;
        bit.limb[limb] = 1;
        add(bit);
    }
    std::vector<F2> values;
    for (const F& c0 : halves)
        for (const F& c1 : halves) values.push_back({c0, c1});
    std::vector<F2> a, b;
    for (const F2& x : values)
        for (const F2& y : values) {
            a.push_back(x);
            b.push_back(y);
        }
    this->expect_equal(a, b);
}

}  // namespace
}  // namespace cuzk::testing_gpu
