// The field templates on the device: each operation on random and extreme elements against the host's result.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <vector>

#include "field/fp.hpp"

namespace cuzk {
namespace {

template <class F>
struct Results {
    F sum, difference, product, square, inverse;
};

template <class F>
CUZK_HD Results<F> compute(const F& a, const F& b) {
    return {a + b, a - b, a * b, a.square(), a.inverse()};
}

template <class F>
__global__ void compute_kernel(const F* a, const F* b, Results<F>* out, std::size_t count) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i < count) out[i] = compute(a[i], b[i]);
}

template <class T>
class DeviceArray {
public:
    explicit DeviceArray(std::size_t count) { EXPECT_EQ(cudaMalloc(&data_, count * sizeof(T)), cudaSuccess); }
    ~DeviceArray() { cudaFree(data_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    T* data() { return data_; }

private:
    T* data_ = nullptr;
};

template <class F>
class FieldDeviceTest : public testing::Test {
protected:
    void SetUp() override {
        int devices = 0;
        if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no CUDA device";
    }
};

using Fields = testing::Types<Bls12_381Fr, Bls12_381Fp, Bn254Fr, Bn254Fp>;
TYPED_TEST_SUITE(FieldDeviceTest, Fields);

TYPED_TEST(FieldDeviceTest, AgreesWithHost) {
    using F = TypeParam;
    std::vector<F> a = {F::zero(), F::one(), -F::one(), F::from_u64(2)};
    F element = F::from_u64(3);
    while (a.size() < 1000) {
        element = element.square() + F::from_u64(a.size());
        a.push_back(element);
    }
    const std::vector<F> b(a.rbegin(), a.rend());
    const std::size_t count = a.size();

    DeviceArray<F> device_a(count), device_b(count);
    DeviceArray<Results<F>> device_out(count);
    ASSERT_EQ(cudaMemcpy(device_a.data(), a.data(), count * sizeof(F), cudaMemcpyHostToDevice), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(device_b.data(), b.data(), count * sizeof(F), cudaMemcpyHostToDevice), cudaSuccess);
    compute_kernel<<<(count + 127) / 128, 128>>>(device_a.data(), device_b.data(), device_out.data(), count);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    std::vector<Results<F>> out(count);
    ASSERT_EQ(cudaMemcpy(out.data(), device_out.data(), count * sizeof(Results<F>), cudaMemcpyDeviceToHost),
              cudaSuccess);

    for (std::size_t i = 0; i < count; ++i) {
        const Results<F> expected = compute(a[i], b[i]);
        EXPECT_EQ(out[i].sum, expected.sum) << i;
        EXPECT_EQ(out[i].difference, expected.difference) << i;
        EXPECT_EQ(out[i].product, expected.product) << i;
        EXPECT_EQ(out[i].square, expected.square) << i;
        EXPECT_EQ(out[i].inverse, expected.inverse) << i;
    }
}

}  // namespace
}  // namespace cuzk
