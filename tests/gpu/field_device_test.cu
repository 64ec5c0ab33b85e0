// The field templates on the device: each operation on millions of random elements and on all pairs of extreme ones, against
// the host's result.
#include "field/fp.hpp"
#include "gpu/check.hpp"
#include "gpu/device_test.hpp"

namespace cuzk {
namespace {

template <class F>
struct Results {
    F sum, difference, product, square;
};

template <class F>
CUZK_HD Results<F> compute(const F& a, const F& b) {
    return {a + b, a - b, a * b, a.square()};
}

template <class F>
__global__ void compute_kernel(const F* a, const F* b, Results<F>* out, std::size_t count) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i < count) out[i] = compute(a[i], b[i]);
}

template <class F>
__global__ void inverse_kernel(const F* a, F* out, std::size_t count) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i < count) out[i] = a[i].inverse();
}

// Words where carries run through, borrows start, and reductions just happen or just do not.
template <class F>
std::vector<F> extremes() {
    using Int = typename F::Int;
    const Int p = F::Params::kModulus;
    std::vector<F> values;
    const auto add = [&](Int x) {
        if (x < p) values.push_back(F::from_montgomery(x));
        Int y = p;
        y.sub(x);
        if (y < p) values.push_back(F::from_montgomery(y));
    };
    for (u64 k = 0; k < 4; ++k) add(Int::from_u64(k));
    add(F::Constants::kHalf);
    add(F::Constants::kR);
    add(F::Constants::kR2);
    for (std::size_t word = 0; word < 2 * F::kLimbs; ++word) {
        Int one_word;
        one_word.limb[word / 2] = u64{0xffffffff} << (32 * (word % 2));
        add(one_word);
        Int ones_below;  // all ones up to this word
        for (std::size_t i = 0; i <= word; ++i) ones_below.limb[i / 2] |= u64{0xffffffff} << (32 * (i % 2));
        add(ones_below);
        Int bit;
        bit.limb[word / 2] = u64{1} << (32 * (word % 2));
        add(bit);
    }
    // Operands that a CUDA compiler is known to have multiplied wrongly.
    for (const u64 word : {0x42737a020c0d6393u, 0xffffffff00000001u, 0xc999e990f3f29c6du}) {
        Int repeated;
        for (u64& limb : repeated.limb) limb = word;
        repeated.limb[F::kLimbs - 1] = word >> 8;
        add(repeated);
        add(Int::from_u64(word));
    }
    return values;
}

template <class F>
class FieldDeviceTest : public testing_gpu::DeviceTest {
protected:
    // Number of pairs on which device and host differ.
    std::size_t differences(const std::vector<F>& a, const std::vector<F>& b) {
        const gpu::Arena::Scope scope(*arena_);
        const auto device_a = upload(a);
        const auto device_b = upload(b);
        const auto device_out = arena_->take<Results<F>>(a.size(), "results");
        compute_kernel<<<static_cast<u32>((a.size() + 127) / 128), 128, 0, stream_->get()>>>(
            device_a.data, device_b.data, device_out.data, a.size());
        gpu::check_launch("compute_kernel");
        const auto out = download(device_out);
        std::size_t count = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            const Results<F> expected = compute(a[i], b[i]);
            count += !(out[i].sum == expected.sum && out[i].difference == expected.difference &&
                       out[i].product == expected.product && out[i].square == expected.square);
        }
        return count;
    }
};

using Fields = testing::Types<Bls12_381Fr, Bls12_381Fp, Bn254Fr, Bn254Fp>;
TYPED_TEST_SUITE(FieldDeviceTest, Fields);

TYPED_TEST(FieldDeviceTest, ExtremePairsAgreeWithHost) {
    const auto values = extremes<TypeParam>();
    std::vector<TypeParam> a, b;
    for (const auto& x : values)
        for (const auto& y : values) {
            a.push_back(x);
            b.push_back(y);
        }
    EXPECT_EQ(this->differences(a, b), 0u) << "of " << a.size();
}

TYPED_TEST(FieldDeviceTest, RandomPairsAgreeWithHost) {
    using F = TypeParam;
    constexpr std::size_t kCount = std::size_t{1} << testing_gpu::sized(21, 14);
    SeededRandom random(41);
    std::vector<F> a, b;
    a.reserve(kCount);
    F element = F::random(random);
    const F step = F::random(random);
    for (std::size_t i = 0; i < kCount; ++i) {
        element = element * element + step;
        a.push_back(element);
    }
    b.assign(a.rbegin(), a.rend());
    EXPECT_EQ(this->differences(a, b), 0u) << "of " << kCount;
}

TYPED_TEST(FieldDeviceTest, InversesAgreeWithHost) {
    using F = TypeParam;
    auto values = extremes<F>();
    SeededRandom random(42);
    while (values.size() < 4096) values.push_back(F::random(random));
    const auto device_values = this->upload(values);
    const auto device_out = this->arena_->template take<F>(values.size(), "inverses");
    inverse_kernel<<<32, 128, 0, this->stream_->get()>>>(device_values.data, device_out.data, values.size());
    gpu::check_launch("inverse_kernel");
    const auto out = this->download(device_out);
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(out[i], values[i].inverse()) << i;
}

}  // namespace
}  // namespace cuzk
