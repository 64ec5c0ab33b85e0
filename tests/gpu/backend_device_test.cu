// Whole proofs on the device: equal to the processor's for fixed r and s, within limits of memory, and after failures.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string_view>
#include <thread>

#include "gpu/backend.hpp"
#include "gpu/emulated_sizes.hpp"
#include "gpu/fault_injection.hpp"
#include "gpu/pinned_range.hpp"
#include "groth16/fixtures.hpp"

namespace cuzk::gpu {
namespace {

template <class C>
class BackendOnDevice : public testing::Test {
protected:
    using Fr = typename C::Fr;

    void SetUp() override {
        if (list_devices().empty()) GTEST_SKIP() << "no CUDA device";
    }

    static ProveOptions<Fr> fixed() {
        ProveOptions<Fr> options;
        options.fixed = FixedBlinding<Fr>{{}, Fr::from_u64(123456789), Fr::from_u64(987654321)};
        return options;
    }
    static Proof<C> on_processor(const std::shared_ptr<const ProvingKey<C>>& key,
                                 const test::Circuit<Fr>& circuit) {
        CpuBackend<C> backend;
        Prover<C> prover(backend, key);
        return test::prove_circuit(prover, circuit, fixed());
    }
};
TYPED_TEST_SUITE(BackendOnDevice, test::Curves);

TYPED_TEST(BackendOnDevice, ProofsEqualTheProcessors) {
    using C = TypeParam;
    using Fr = typename C::Fr;
    const auto backend = make_backend<C>({});
    for (const KeyFamily family : {KeyFamily::kSnarkjs, KeyFamily::kBellman})
        for (const auto& [rows, inputs] :
             {std::pair{1u, 0u}, {2u, 1u}, {7u, 3u}, {31u, 2u}, {250u, 5u}, {4000u, 40u}}) {
            if (testing_gpu::kEmulated && rows > 250) continue;
            const auto circuit = test::random_circuit<Fr>(rows, inputs, rows);
            const auto key = test::make_key<C>(family, circuit.r1cs, 7);
            Prover<C> prover(*backend, key);
            const Proof<C> expected = this->on_processor(key, circuit);
            EXPECT_EQ(test::prove_circuit(prover, circuit, this->fixed()), expected)
                << rows << " rows, " << inputs << " inputs";
            if (family != KeyFamily::kBellman) continue;
            Prover<C> with_circuit(*backend, test::with_circuit(*key, test::instanced(circuit)));
            EXPECT_EQ(with_circuit.prove(test::compact(circuit), this->fixed()), expected)
                << rows << " rows, " << inputs << " inputs, compact";
        }
}

TYPED_TEST(BackendOnDevice, StreamedKeysGiveTheSameProof) {
    using C = TypeParam;
    using Fr = typename C::Fr;
    const auto circuit = test::random_circuit<Fr>(testing_gpu::sized(100000u, 1000u), 3, 5);
    const auto compact = test::compact(circuit);
    EXPECT_GT(compact.bits.size(), 0u);
    // The first piece is copied while the work of the witness is queued: the copy may come first.
    const FaultInjection slow([](FaultPoint, const char* what) {
        if (what == std::string_view("values of A"))
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
    });
    for (const KeyFamily family : {KeyFamily::kSnarkjs, KeyFamily::kBellman}) {
        const auto key = test::make_key<C>(family, circuit.r1cs, 8);
        const Proof<C> expected = this->on_processor(key, circuit);
        const auto with_circuit =
            family == KeyFamily::kBellman ? test::with_circuit(*key, test::instanced(circuit)) : nullptr;
        for (const bool pinned : {true, false})
            for (const bool prefetch : {true, false}) {
                BackendOptions options;
                options.resident_keys = false;
                options.pinned_keys = pinned;
                options.prefetch = prefetch;
                options.piece_points = testing_gpu::sized(0u, 256u);
                options.memory_limit = std::size_t{900} << 20;  // 200 MiB beside the driver's: several pieces
                const auto backend = make_backend<C>(options);
                const bool by_circuit = with_circuit && prefetch;
                Prover<C> prover(*backend, by_circuit ? with_circuit : key);
                EXPECT_EQ(by_circuit ? prover.prove(compact, this->fixed())
                                     : test::prove_circuit(prover, circuit, this->fixed()),
                          expected);
                const MemoryReport report = backend->memory().front();
                EXPECT_LE(report.keys + report.working, options.memory_limit);
                EXPECT_GT(report.working_peak, 0u);
                EXPECT_LE(report.working_peak, report.working);
            }
    }
}

// Each way that ready rows come to the device, with rows of other lengths than the domain, by two threads at once.
TYPED_TEST(BackendOnDevice, ReadyRowsComeByEveryWay) {
    using C = TypeParam;
    using Fr = typename C::Fr;
    const auto circuit = test::random_circuit<Fr>(testing_gpu::sized(100000u, 300u), 3, 5);
    const auto key = test::make_key<C>(KeyFamily::kBellman, circuit.r1cs, 8);
    const Proof<C> expected = this->on_processor(key, circuit);
    const auto assignment = test::make_assignment(circuit);
    for (const u64 pinned_from : {u64{1}, ~u64{0}})
        for (const bool ahead : {true, false}) {
            BackendOptions options;
            options.pinned_rows_from = pinned_from;
            options.rows_ahead = ahead;
            const auto backend = make_backend<C>(options);
            Prover<C> prover(*backend, key);
            std::vector<std::thread> threads;
            std::atomic<int> right{0};
            for (int t = 0; t < 2; ++t)
                threads.emplace_back(
                    [&] { right += prover.prove(assignment, this->fixed()) == expected ? 1 : 0; });
            for (std::thread& thread : threads) thread.join();
            EXPECT_EQ(right, 2) << "pinned from " << pinned_from << ", ahead " << ahead;
        }
    EXPECT_EQ(PinnedRange::count(), 0u);
}

TYPED_TEST(BackendOnDevice, TooLittleMemoryIsAnErrorThatNamesSizes) {
    using C = TypeParam;
    const auto circuit = test::random_circuit<typename C::Fr>(testing_gpu::sized(100000u, 20000u), 3, 5);
    const auto key = test::make_key<C>(KeyFamily::kSnarkjs, circuit.r1cs, 8);
    BackendOptions options;
    options.memory_limit = std::size_t{701} << 20;
    const auto backend = make_backend<C>(options);
    std::string message;
    EXPECT_EQ(test::thrown_kind([&] { Prover<C> prover(*backend, key); }, &message), ErrorKind::kEnvironment);
    EXPECT_NE(message.find("bytes of device memory"), std::string::npos) << message;
}

TYPED_TEST(BackendOnDevice, SeveralThreadsAndKeys) {
    using C = TypeParam;
    using Fr = typename C::Fr;
    const auto backend = make_backend<C>({});
    std::vector<std::thread> threads;
    std::atomic<int> good{0};
    for (u32 t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            const auto circuit = test::random_circuit<Fr>(testing_gpu::sized(500u, 50u) * (t + 1), 2, t);
            const KeyFamily family = t % 2 == 0 ? KeyFamily::kSnarkjs : KeyFamily::kBellman;
            Prover<C> prover(*backend, test::make_key<C>(family, circuit.r1cs, t));
            for (int i = 0; i < testing_gpu::sized(5, 2); ++i) {
                test::prove_circuit(prover, circuit);  // throws unless the proof verifies
                ++good;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(good, testing_gpu::sized(20, 8));
    EXPECT_EQ(backend->memory().front().keys, 0u);
}

// Fails the n-th point of a kind, for n = 0, 1, ... until a proof meets fewer points than that.
TYPED_TEST(BackendOnDevice, EachFailureIsAnErrorOrAFallbackAndTheNextProofWorks) {
    using C = TypeParam;
    using Fr = typename C::Fr;
    const auto circuit = test::random_circuit<Fr>(testing_gpu::sized(300u, 20u), 2, 11);
    const auto key = test::make_key<C>(KeyFamily::kSnarkjs, circuit.r1cs, 12);
    const auto backend = make_backend<C>({});
    for (const FaultPoint kind :
         {FaultPoint::kAllocation, FaultPoint::kArena, FaultPoint::kLaunch, FaultPoint::kSynchronize}) {
        int reached = 0;
        for (int n = 0;; n += testing_gpu::sized(1, 5)) {
            std::atomic<int> count{0};
            bool failed = false;
            {
                const FaultInjection fault([&](FaultPoint point, const char* what) {
                    if (point != kind || count++ != n) return;
                    if (kind == FaultPoint::kAllocation || kind == FaultPoint::kArena)
                        throw OutOfDeviceMemory(std::string("injected at ") + what);
                    throw Error(ErrorKind::kEnvironment, std::string("CUDA: injected at ") + what);
                });
                try {
                    Prover<C> prover(*backend, key);
                    test::prove_circuit(prover, circuit);
                } catch (const Error& error) {
                    failed = true;
                    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment) << error.what();
                    EXPECT_NE(std::string(error.what()).find("injected"), std::string::npos) << error.what();
                }
            }
            if (count <= n) break;
            ++reached;
            EXPECT_EQ(backend->memory().front().keys, 0u);
            if (kind == FaultPoint::kLaunch || kind == FaultPoint::kSynchronize) {
                EXPECT_TRUE(failed) << n;
            }
        }
        EXPECT_GT(reached, 0);
        Prover<C> prover(*backend, key);
        EXPECT_EQ(test::prove_circuit(prover, circuit, this->fixed()), this->on_processor(key, circuit));
    }
}

// Keys go from device to device, and other devices take part in a proof.
TYPED_TEST(BackendOnDevice, SeveralDevices) {
    using C = TypeParam;
    using Fr = typename C::Fr;
    const auto devices = list_devices();
    if (devices.size() < 2) GTEST_SKIP() << "one device is too few";
    const auto circuit = test::random_circuit<Fr>(testing_gpu::sized(100000u, 200u), 3, 5);
    for (const KeyFamily family : {KeyFamily::kSnarkjs, KeyFamily::kBellman}) {
        const auto key = test::make_key<C>(family, circuit.r1cs, 8);
        const Proof<C> expected = this->on_processor(key, circuit);
        BackendOptions options;
        options.exchange = std::make_shared<KeyExchange>();
        options.device = devices[0].uuid;
        const auto first = make_backend<C>(options);
        options.device = devices[1].uuid;
        options.helpers = {devices[0].uuid};
        const auto second = make_backend<C>(options);
        Prover<C> on_first(*first, key);
        {
            // The second device takes the key from the first, and the first one's share from there.
            Prover<C> on_second(*second, key);
            EXPECT_EQ(test::prove_circuit(on_second, circuit, this->fixed()), expected);
            EXPECT_EQ(second->memory().size(), 2u);
            EXPECT_GT(second->memory().back().keys, 0u);
        }
        EXPECT_EQ(second->memory().back().keys, 0u);
        EXPECT_EQ(test::prove_circuit(on_first, circuit, this->fixed()), expected);
    }
    BackendOptions options;
    options.helpers = {devices[0].uuid};
    EXPECT_EQ(test::thrown_kind([&] { make_backend<C>(options); }), ErrorKind::kUsage);
    options.helpers = {devices[1].uuid, "1"};
    EXPECT_EQ(test::thrown_kind([&] { make_backend<C>(options); }), ErrorKind::kUsage);
}

// A key that its device evicts is not offered any more, and one that cannot be copied comes from the host.
TYPED_TEST(BackendOnDevice, KeysThatOtherDevicesCanNotGiveComeFromTheHost) {
    using C = TypeParam;
    using Fr = typename C::Fr;
    const auto devices = list_devices();
    if (devices.size() < 2) GTEST_SKIP() << "one device is too few";
    const auto circuit = test::random_circuit<Fr>(50, 3, 5);
    const auto key = test::make_key<C>(KeyFamily::kSnarkjs, circuit.r1cs, 8);
    const Proof<C> expected = this->on_processor(key, circuit);
    BackendOptions options;
    options.exchange = std::make_shared<KeyExchange>();
    options.device = devices[0].uuid;
    const auto first = make_backend<C>(options);
    options.device = devices[1].uuid;
    const auto second = make_backend<C>(options);
    {
        Prover<C> on_first(*first, key);
        EXPECT_EQ(options.exchange->find(key.get()).size(), 1u);
        EXPECT_TRUE(options.exchange->find(&circuit).empty());
    }
    EXPECT_TRUE(options.exchange->find(key.get()).empty());
    Prover<C> on_second(*second, key);
    EXPECT_EQ(test::prove_circuit(on_second, circuit, this->fixed()), expected);
}

TYPED_TEST(BackendOnDevice, RefusesWhatItCannotProve) {
    using C = TypeParam;
    using Fr = typename C::Fr;
    const auto backend = make_backend<C>({});
    auto circuit = test::random_circuit<Fr>(100, 2, 3);
    const auto key = test::make_key<C>(KeyFamily::kSnarkjs, circuit.r1cs, 4);
    Prover<C> prover(*backend, key);
    const std::vector<Fr> good = circuit.z;
    circuit.z.back() += Fr::one();
    EXPECT_EQ(test::thrown_kind([&] { prover.prove(circuit.z); }), ErrorKind::kUnsatisfied);
    EXPECT_EQ(test::thrown_kind([&] { prover.prove(std::span<const Fr>(good).first(10)); }),
              ErrorKind::kMalformed);
    EXPECT_EQ(test::thrown_kind([&] { prover.prove(test::make_assignment(circuit)); }), ErrorKind::kUsage);
    EXPECT_EQ(test::thrown_kind([&] { backend->evict(KeyHandle{99}); }), ErrorKind::kUsage);
    EXPECT_NO_THROW(prover.prove(good));
}

}  // namespace
}  // namespace cuzk::gpu
