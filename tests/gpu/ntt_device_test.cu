// Transforms on the device against those of the host.
#include "base/error.hpp"
#include "gpu/device_test.hpp"
#include "gpu/ntt.hpp"

namespace cuzk {
namespace {

template <class Fr>
std::vector<Fr> random_values(std::size_t count, u64 seed) {
    SeededRandom random(seed);
    std::vector<Fr> values(count);
    Fr x = Fr::random(random);
    const Fr step = Fr::random(random);
    for (Fr& value : values) value = x = x * x + step;
    return values;
}

template <class Fr>
class NttDeviceTest : public testing_gpu::DeviceTest {
protected:
    void compare(const Domain<Fr>& domain) {
        const gpu::Arena::Scope scope(*arena_);
        gpu::DeviceDomain<Fr> device(*arena_, domain, *stream_);
        const auto input = random_values<Fr>(domain.size(), domain.log_size());
        const auto values = arena_->template take<Fr>(domain.size(), "values");
        const Fr shift = Fr::from_u64(7);
        const auto check = [&](const char* name, auto on_device, auto on_host) {
            gpu::copy_to_device(values.data, input.data(), input.size() * sizeof(Fr), *stream_);
            on_device();
            auto expected = input;
            on_host(std::span<Fr>(expected));
            EXPECT_TRUE(download(values) == expected) << name << " of 2^" << domain.log_size();
        };
        check(
            "forward", [&] { device.forward(values, *stream_); }, [&](auto x) { domain.forward(x); });
        check(
            "inverse", [&] { device.inverse(values, *stream_); }, [&](auto x) { domain.inverse(x); });
        check(
            "coset forward", [&] { device.coset_forward(values, shift, *stream_); },
            [&](auto x) { domain.coset_forward(x, shift); });
        check(
            "coset inverse", [&] { device.coset_inverse(values, shift, *stream_); },
            [&](auto x) { domain.coset_inverse(x, shift); });
        check(
            "coset forward, another shift", [&] { device.coset_forward(values, shift + shift, *stream_); },
            [&](auto x) { domain.coset_forward(x, shift + shift); });
    }
};

using Fields = testing::Types<Bls12_381Fr, Bn254Fr>;
TYPED_TEST_SUITE(NttDeviceTest, Fields);

TYPED_TEST(NttDeviceTest, AllSizesAgreeWithHost) {
    for (unsigned log_size = 0; log_size <= testing_gpu::sized(22u, 14u); ++log_size)
        this->compare(Domain<TypeParam>::zcash(log_size));
}

TYPED_TEST(NttDeviceTest, OtherRootsAgreeWithHost) {
    for (const unsigned log_size : {1u, 5u, 12u, testing_gpu::sized(17u, 15u)})
        this->compare(Domain<TypeParam>::snarkjs(log_size));
}

// Larger sizes: values of a sparse polynomial, and random vectors there and back.
TYPED_TEST(NttDeviceTest, LargeSizesFollowTheLaws) {
    using Fr = TypeParam;
    for (const unsigned log_size : testing_gpu::kEmulated ? std::vector{16u} : std::vector{23u, 24u, 26u}) {
        const gpu::Arena::Scope scope(*this->arena_);
        const auto domain = Domain<Fr>::zcash(log_size);
        gpu::DeviceDomain<Fr> device(*this->arena_, domain, *this->stream_);

        std::vector<Fr> input(domain.size());
        const std::size_t places[] = {0, 1, domain.size() / 2, domain.size() / 7, domain.size() - 3};
        for (const std::size_t place : places) input[place] = Fr::from_u64(place * place + 3);
        const auto values = this->upload(input);
        device.forward(values, *this->stream_);
        const auto evaluated = this->download(values);
        for (std::size_t i = 1; i < domain.size(); i += domain.size() / 1009 + 1) {
            Fr expected = Fr::zero();
            const Fr x = domain.root().pow(u64{i});
            for (const std::size_t place : places) expected += input[place] * x.pow(u64{place});
            ASSERT_EQ(evaluated[i], expected) << "2^" << log_size << ", value " << i;
        }

        input = random_values<Fr>(domain.size(), log_size);
        gpu::copy_to_device(values.data, input.data(), input.size() * sizeof(Fr), *this->stream_);
        device.forward(values, *this->stream_);
        device.inverse(values, *this->stream_);
        EXPECT_TRUE(this->download(values) == input) << "2^" << log_size;
        device.coset_forward(values, Fr::from_u64(5), *this->stream_);
        device.coset_inverse(values, Fr::from_u64(5), *this->stream_);
        EXPECT_TRUE(this->download(values) == input) << "2^" << log_size << " on a coset";
    }
}

TYPED_TEST(NttDeviceTest, WrongSizesAreRefused) {
    gpu::DeviceDomain<TypeParam> device(*this->arena_, Domain<TypeParam>::zcash(4), *this->stream_);
    const auto values = this->arena_->template take<TypeParam>(15, "values");
    EXPECT_THROW(device.forward(values, *this->stream_), Error);
}

}  // namespace
}  // namespace cuzk
