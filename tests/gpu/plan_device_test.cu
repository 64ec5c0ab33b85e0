// Whole proofs under every plan of memory that a limit can lead to: equal to the processor's, within the limit, without allocations once
// the key is there, and after failures.
#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "gpu/backend.hpp"
#include "gpu/cuda_backend.cuh"
#include "gpu/emulated_sizes.hpp"
#include "gpu/fault_injection.hpp"
#include "groth16/fixtures.hpp"

namespace cuzk::gpu {
namespace {

enum class Kind { kResident, kResidentInParts, kPartly, kStreamed };

template <class C>
class PlansOnDevice : public testing::Test {
protected:
    using Fr = typename C::Fr;
    using G1 = typename C::G1;
    using G2 = typename C::G2;
    using Key = std::shared_ptr<const ProvingKey<C>>;
    static constexpr ScratchModel kScratch{msm_scratch_bytes<G1>, msm_scratch_bytes<G2>,
                                           sum_points_scratch_bytes<G1>, sum_points_scratch_bytes<G2>};
    static constexpr std::size_t kPiece = 64;  // points

    void SetUp() override {
        if (list_devices().empty()) GTEST_SKIP() << "no CUDA device";
        current_.emplace(find_device("").index);
    }

    static ProveOptions<Fr> fixed() {
        ProveOptions<Fr> options;
        options.fixed = FixedBlinding<Fr>{{}, Fr::from_u64(123456789), Fr::from_u64(987654321)};
        return options;
    }
    static Proof<C> on_processor(const Key& key, const test::Circuit<Fr>& circuit) {
        CpuBackend<C> backend;
        Prover<C> prover(backend, key);
        return test::prove_circuit(prover, circuit, fixed());
    }

    // What a backend of this limit, the driver's memory not counted, does with its first key; nothing where the key does not fit.
    static std::optional<MemoryPlan> plan(const Key& key, std::size_t limit, bool parked = false) {
        try {
            return plan_memory(DeviceKey<C>::sizes(*key), kScratch,
                               {limit, std::numeric_limits<std::size_t>::max(), 0, kPiece, parked}, "");
        } catch (const OutOfDeviceMemory&) {
            return std::nullopt;
        }
    }
    static Kind kind(const MemoryPlan& p, const ProvingKey<C>& key) {
        if (p.resident()) return p.piece < key.h.size() ? Kind::kResidentInParts : Kind::kResident;
        return p.kept_bytes == 0 ? Kind::kStreamed : Kind::kPartly;
    }
    static std::size_t most(const Key& key, bool parked = false) {
        const MemoryPlan p = *plan(key, std::size_t{8} << 30, parked);
        return p.key + p.working;
    }
    // The least limit whose plan is as wanted, given that those of all larger ones are.
    template <class Wanted>
    static std::size_t least_where(const Key& key, bool parked, const Wanted& wanted) {
        std::size_t low = 0, high = most(key, parked);
        while (low + 1 < high) {
            const std::size_t middle = low + (high - low) / 2;
            const auto p = plan(key, middle, parked);
            (p && wanted(*p) ? high : low) = middle;
        }
        return high;
    }
    static std::size_t least(const Key& key, bool parked = false) {
        return least_where(key, parked, [](const MemoryPlan&) { return true; });
    }
    static std::size_t whole(const Key& key, bool parked = false) {
        return least_where(key, parked, [](const MemoryPlan& p) { return p.resident(); });
    }
    // Where a good part of the key fits.
    static std::size_t partly(const Key& key, bool parked = false) {
        const std::size_t most = whole(key, parked), none = least(key, parked);
        for (std::size_t i = 33; i-- > 0;) {
            const std::size_t limit = none + (most - none) * i / 33;
            const MemoryPlan p = *plan(key, limit, parked);
            if (!p.resident() && p.kept_bytes > p.streamed_bytes / 2) return limit;
        }
        ADD_FAILURE() << "no limit leads to such a plan";
        return most;
    }
    static BackendOptions within(std::size_t limit, bool parked = false) {
        BackendOptions options;
        options.park_vectors = parked;
        options.piece_points = kPiece;
        options.memory_limit = kDriverBytes + limit;
        return options;
    }
    std::optional<CurrentDevice> current_;
};
TYPED_TEST_SUITE(PlansOnDevice, test::Curves);

void expect_within(const std::vector<MemoryReport>& reports, std::size_t limit, const MemoryPlan& plan) {
    const MemoryReport& device = reports.front();
    EXPECT_LE(device.keys + device.working, limit);
    EXPECT_EQ(device.keys, plan.key);
    EXPECT_EQ(device.working, plan.working);
    EXPECT_EQ(device.streamed, plan.streamed_bytes);
    EXPECT_GT(device.working_peak, 0u);
    EXPECT_LE(device.working_peak, device.working);
    if (plan.host == 0) {
        EXPECT_EQ(reports.size(), 1u);
    } else {
        ASSERT_EQ(reports.size(), 2u);
        EXPECT_EQ(reports[1].space, "host");
        EXPECT_EQ(reports[1].working, plan.host);
    }
}

TYPED_TEST(PlansOnDevice, ProofsAtEveryLimitEqualTheProcessors) {
    using C = TypeParam;
    using Fr = typename C::Fr;
    const auto circuit = test::random_circuit<Fr>(testing_gpu::sized(3000u, 120u), 3, 5);
    const auto compact = test::compact(circuit);
    std::set<Kind> kinds;
    for (const KeyFamily family : {KeyFamily::kSnarkjs, KeyFamily::kBellman})
        for (const bool parked : {false, true}) {
            auto key = test::make_key<C>(family, circuit.r1cs, 8);
            const Proof<C> expected = this->on_processor(key, circuit);
            if (family == KeyFamily::kBellman) key = test::with_circuit(*key, test::instanced(circuit));
            const std::size_t none = this->least(key, parked), whole = this->whole(key, parked);
            const std::size_t most = this->most(key, parked);
            std::vector<std::size_t> limits{most};
            const std::size_t steps = testing_gpu::sized(16u, 3u);
            for (std::size_t i = 0; i <= steps; ++i) limits.push_back(none + (whole - none) * i / steps);
            for (const std::size_t limit : limits) {
                const MemoryPlan plan = *this->plan(key, limit, parked);
                kinds.insert(this->kind(plan, *key));
                const auto backend = make_backend<C>(this->within(limit, parked));
                Prover<C> prover(*backend, key);
                const auto prove = [&] {
                    return key->circuit ? prover.prove(compact, this->fixed())
                                        : test::prove_circuit(prover, circuit, this->fixed());
                };
                EXPECT_EQ(prove(), expected) << limit;
                expect_within(backend->memory(), limit, plan);
                EXPECT_TRUE(plan.parked || !parked);
                const FaultInjection no_allocation([&](FaultPoint point, const char* what) {
                    if (point == FaultPoint::kAllocation) throw OutOfDeviceMemory(what);
                });
                EXPECT_EQ(prove(), expected) << limit << ", again";
                if (key->circuit) {
                    EXPECT_EQ(test::prove_circuit(prover, circuit, this->fixed()), expected)
                        << limit << ", ready rows";
                }
                expect_within(backend->memory(), limit, plan);
            }
            const auto backend = make_backend<C>(this->within(none - 1, parked));
            EXPECT_EQ(test::thrown_kind([&] { Prover<C> prover(*backend, key); }), ErrorKind::kEnvironment);
        }
    for (const Kind kind : {Kind::kResident, Kind::kResidentInParts, Kind::kPartly, Kind::kStreamed})
        EXPECT_TRUE(kinds.contains(kind)) << static_cast<int>(kind);
}

// Ready rows while a vector is parked: each way that they come, and each way that points do.
TYPED_TEST(PlansOnDevice, ReadyRowsComeBesideAParkedVector) {
    using C = TypeParam;
    using Fr = typename C::Fr;
    const auto circuit = test::random_circuit<Fr>(testing_gpu::sized(3000u, 200u), 3, 5);
    const auto key = test::make_key<C>(KeyFamily::kBellman, circuit.r1cs, 8);
    const Proof<C> expected = this->on_processor(key, circuit);
    const std::size_t limit = this->partly(key, true);
    for (const bool pinned : {true, false})
        for (const bool ahead : {true, false}) {
            BackendOptions options = this->within(limit, true);
            options.pinned_rows_from = pinned ? 1 : ~u64{0};
            options.rows_ahead = ahead;
            options.pinned_keys = pinned;
            options.prefetch = ahead;
            const auto backend = make_backend<C>(options);
            Prover<C> prover(*backend, key);
            EXPECT_EQ(test::prove_circuit(prover, circuit, this->fixed()), expected);
        }
}

// Where the device has less than it said, less of the key stays there.
TYPED_TEST(PlansOnDevice, TooLittleMemoryKeepsLessOfTheKey) {
    using C = TypeParam;
    using Fr = typename C::Fr;
    const auto circuit = test::random_circuit<Fr>(testing_gpu::sized(3000u, 250u), 3, 5);
    const auto key = test::make_key<C>(KeyFamily::kBellman, circuit.r1cs, 8);
    const Proof<C> expected = this->on_processor(key, circuit);
    BackendOptions options;
    options.piece_points = this->kPiece;
    const auto backend = make_backend<C>(options);
    const MemoryPlan whole = *this->plan(key, std::size_t{8} << 30);
    ASSERT_TRUE(whole.resident());
    // What is as large as the key does not fit, once or for good.
    const std::string too_large = "cudaMalloc of " + std::to_string(whole.key) + " bytes";
    {
        const FaultInjection fault([&](FaultPoint point, const char* what) {
            if (point == FaultPoint::kAllocation && what == too_large) throw OutOfDeviceMemory(what);
        });
        Prover<C> prover(*backend, key);
        EXPECT_EQ(test::prove_circuit(prover, circuit, this->fixed()), expected);
        const MemoryReport report = backend->memory().front();
        EXPECT_GT(report.streamed, 0u);
        EXPECT_LT(report.streamed, whole.kept_bytes);
        EXPECT_LT(report.keys, whole.key);
    }
    EXPECT_EQ(backend->memory().front().streamed, 0u);
    Prover<C> prover(*backend, key);
    EXPECT_EQ(backend->memory().front().keys, whole.key);
}

// What a key keeps that does not fit as a whole is spare memory: another key gets it, and it comes back when that one goes.
TYPED_TEST(PlansOnDevice, PointsOfOneKeyMakeRoomForAnother) {
    using C = TypeParam;
    using Fr = typename C::Fr;
    const auto circuit = test::random_circuit<Fr>(testing_gpu::sized(3000u, 250u), 3, 5);
    const auto small_circuit = test::random_circuit<Fr>(testing_gpu::sized(2000u, 200u), 3, 6);
    const auto key = test::make_key<C>(KeyFamily::kBellman, circuit.r1cs, 8);
    const auto other = test::make_key<C>(KeyFamily::kBellman, small_circuit.r1cs, 9);
    const Proof<C> expected = this->on_processor(key, circuit);
    const Proof<C> expected_other = this->on_processor(other, small_circuit);
    const std::size_t limit = this->partly(key);
    const auto backend = make_backend<C>(this->within(limit));
    const auto expect_room = [&] {
        const MemoryReport report = backend->memory().front();
        EXPECT_LE(report.keys + report.working, limit);
    };
    Prover<C> prover(*backend, key);
    const MemoryReport alone = backend->memory().front();
    EXPECT_EQ(test::prove_circuit(prover, circuit, this->fixed()), expected);
    {
        Prover<C> second(*backend, other);
        expect_room();
        EXPECT_GE(backend->memory().front().streamed, key->h.size() * sizeof(Affine<typename C::G1>));
        for (int i = 0; i < 2; ++i) {
            EXPECT_EQ(test::prove_circuit(prover, circuit, this->fixed()), expected);
            expect_room();
            EXPECT_EQ(test::prove_circuit(second, small_circuit, this->fixed()), expected_other);
            expect_room();
        }
    }
    EXPECT_EQ(test::prove_circuit(prover, circuit, this->fixed()), expected);
    expect_room();
    EXPECT_EQ(backend->memory().front().keys, alone.keys);
    EXPECT_EQ(backend->memory().front().streamed, alone.streamed);
}

// Fails the n-th point of a kind, in plans that keep a part of the key and park a vector.
TYPED_TEST(PlansOnDevice, EachFailureIsAnErrorOrAFallbackAndTheNextProofWorks) {
    using C = TypeParam;
    using Fr = typename C::Fr;
    const auto circuit = test::random_circuit<Fr>(testing_gpu::sized(300u, 60u), 2, 11);
    for (const KeyFamily family : {KeyFamily::kSnarkjs, KeyFamily::kBellman}) {
        const auto key = test::make_key<C>(family, circuit.r1cs, 12);
        const Proof<C> expected = this->on_processor(key, circuit);
        const std::size_t limit = this->partly(key, true);
        const auto backend = make_backend<C>(this->within(limit, true));
        for (const FaultPoint kind :
             {FaultPoint::kAllocation, FaultPoint::kArena, FaultPoint::kLaunch, FaultPoint::kSynchronize}) {
            const bool memory = kind == FaultPoint::kAllocation || kind == FaultPoint::kArena;
            int reached = 0;
            for (int n = 0;; n += kind == FaultPoint::kAllocation ? 1 : testing_gpu::sized(7, 41)) {
                std::atomic<int> count{0};
                bool failed = false;
                {
                    const FaultInjection fault([&](FaultPoint point, const char* what) {
                        if (point != kind || count++ != n) return;
                        if (memory) throw OutOfDeviceMemory(std::string("injected at ") + what);
                        throw Error(ErrorKind::kEnvironment, std::string("CUDA: injected at ") + what);
                    });
                    try {
                        Prover<C> prover(*backend, key);
                        EXPECT_EQ(test::prove_circuit(prover, circuit, this->fixed()), expected);
                    } catch (const Error& error) {
                        failed = true;
                        EXPECT_EQ(error.kind(), ErrorKind::kEnvironment) << error.what();
                        EXPECT_NE(std::string(error.what()).find("injected"), std::string::npos)
                            << error.what();
                    }
                }
                if (count <= n) break;
                ++reached;
                // Something of the key can go in every case.
                EXPECT_EQ(failed, !memory) << n;
                for (const MemoryReport& report : backend->memory())
                    EXPECT_EQ(report.keys + report.working, 0u);
            }
            EXPECT_GT(reached, kind == FaultPoint::kAllocation ? 2 : 0);
            Prover<C> prover(*backend, key);
            EXPECT_EQ(test::prove_circuit(prover, circuit, this->fixed()), expected);
        }
    }
}

}  // namespace
}  // namespace cuzk::gpu
