// Keys whose points were made on the device against those of the host.
#include "gpu/device_setup.hpp"
#include "gpu/device_test.hpp"
#include "groth16/chain_circuit.hpp"
#include "groth16/memory_sink.hpp"
#include "groth16/setup.hpp"

namespace cuzk {
namespace {

template <class G>
std::size_t differences(AffineView<G> a, AffineView<G> b) {
    if (a.size() != b.size()) return a.size() + b.size();
    std::size_t count = 0;
    for (std::size_t i = 0; i < a.size(); ++i) count += a[i] == b[i] ? 0 : 1;
    return count;
}

template <class C>
class SetupDeviceTest : public testing_gpu::DeviceTest {
protected:
    void SetUp() override {
        if (gpu::list_devices().empty()) GTEST_SKIP() << "no CUDA device";
    }

    void compare(KeyFamily family, std::size_t constraints, std::size_t memory_limit) {
        const auto r1cs = chain_circuit<typename C::Fr>(constraints).r1cs;
        SetupBases<C> bases;
        bases.g1 = (Jacobian<typename C::G1>::from_affine(bases.g1) * C::Fr::from_u64(3)).to_affine();
        MemoryKeySink<C> host_sink, device_sink;
        SeededRandom host_random(8), device_random(8);
        const auto host_vk = setup<C>(family, r1cs, host_random, host_sink, nullptr, bases);
        const auto target = gpu::make_setup_target<C>("", memory_limit, device_sink, bases, nullptr);
        EXPECT_EQ(setup<C>(family, r1cs, device_random, *target, nullptr, bases), host_vk);

        const auto host = host_sink.key();
        const auto device = device_sink.key();
        EXPECT_EQ(device->vk, host->vk);
        EXPECT_EQ(differences(device->a, host->a), 0u);
        EXPECT_EQ(differences(device->b_g1, host->b_g1), 0u);
        EXPECT_EQ(differences(device->b_g2, host->b_g2), 0u);
        EXPECT_EQ(differences(device->l, host->l), 0u);
        EXPECT_EQ(differences(device->h, host->h), 0u);
    }
};

using Curves = testing::Types<Bls12_381, Bn254>;
TYPED_TEST_SUITE(SetupDeviceTest, Curves);

TYPED_TEST(SetupDeviceTest, KeysAreThoseOfTheHost) {
    for (const KeyFamily family : {KeyFamily::kSnarkjs, KeyFamily::kBellman})
        for (const std::size_t constraints : testing_gpu::sizes_up_to(100, {1, 2, 100, 5000}))
            this->compare(family, constraints, std::size_t{1} << 30);
}

// So little memory that points are made in many chunks.
TYPED_TEST(SetupDeviceTest, LittleMemoryMakesTheSameKeys) {
    this->compare(KeyFamily::kBellman, testing_gpu::sized(30000, 1500),
                  testing_gpu::sized(std::size_t{48} << 20, std::size_t{4} << 20));
}

TYPED_TEST(SetupDeviceTest, TooLittleMemoryIsAnError) {
    EXPECT_THROW(this->compare(KeyFamily::kBellman, 1000, 4096), Error);
}

}  // namespace
}  // namespace cuzk
