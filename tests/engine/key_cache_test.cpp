// Keys from caches: made behind the first load, used in place, and given up when a self-check casts doubt on them.
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "../filecoin/oracle.hpp"
#include "engine/backend_device.hpp"
#include "engine/engine.hpp"
#include "engine/filecoin_work.hpp"
#include "engine/key_cache_keeper.hpp"
#include "fakes.hpp"
#include "filecoin/params/store.hpp"
#include "filecoin/prove/prove.hpp"
#include "formats/digest.hpp"
#include "formats/key_cache_digest.hpp"
#include "groth16/cpu_backend.hpp"

namespace cuzk::engine {
namespace {

using namespace fakes;
namespace fs = std::filesystem;
namespace oracle = filecoin::oracle;

// On fakes: what the engine does when a device says that the key was bad.

TEST(KeyReopening, TheKeyIsOpenedAgainAndThePartitionsGoOn) {
    World world;
    const auto engine = make_engine(world, small_config(), {}, damaged_key(3));
    const ProofRequest r = content(ProofKind::kPorepSealCommit, "porep-32g", 6);
    const JobResult result = finish(*engine, engine->submit(request(r)).job_id);
    EXPECT_EQ(text(result.proof), whole_proof(r)) << result.error;
    EXPECT_GE(world.log.count("open porep-32g"), 2u);
    EXPECT_EQ(world.log.count("load porep-32g"), 1u);  // the circuit itself stays
    EXPECT_EQ(engine->metrics().total("cuzk_selfcheck_failures_total"), 3);
    EXPECT_FALSE(engine->status().devices[0].retired);
    expect_at_rest(*engine);
    EXPECT_EQ(engine->evict("porep-32g").freed_bytes, 1000u);
    for (const MemoryStatus& space : engine->status().memory) EXPECT_EQ(space.used, 0u) << space.space;
}

TEST(KeyReopening, AKeyThatIsAlwaysBadFailsItsJobInTheEnd) {
    World world;
    const auto engine = make_engine(world, small_config(), {}, damaged_key(std::numeric_limits<int>::max()));
    const JobResult result =
        finish(*engine, engine->submit(request(content(ProofKind::kPorepSealCommit, "porep-32g", 1))).job_id);
    EXPECT_EQ(result.state, JobState::kFailed);
    EXPECT_NE(result.error.find("the key is damaged"), std::string::npos) << result.error;
}

// A key that was used in place needs host memory now: taken if it is there, else the job fails and the next one finds it free.
TEST(KeyReopening, TheMemoryThatTheOtherCopyNeedsIsReserved) {
    for (const u64 key : {u64{10} << 20, u64{80} << 20}) {
        World world;
        CircuitSizes& sizes = world.circuits["porep-32g"];
        sizes.key = key;
        sizes.in_host_when_sought = true;
        sizes.witness = u64{30} << 20;
        const auto engine = make_engine(world, small_config(), {}, damaged_key(1));
        const ProofRequest r = content(ProofKind::kPorepSealCommit, "porep-32g", 1);
        const JobResult first = finish(*engine, engine->submit(request(r)).job_id);
        const bool fits = key < (u64{50} << 20);
        EXPECT_EQ(first.state, fits ? JobState::kCompleted : JobState::kFailed) << first.error;
        if (!fits) {
            EXPECT_NE(first.error.find("no memory"), std::string::npos) << first.error;
            continue;
        }
        expect_at_rest(*engine);
        EXPECT_EQ(engine->evict("porep-32g").freed_bytes, 1000 + key);
        for (const MemoryStatus& space : engine->status().memory) EXPECT_EQ(space.used, 0u) << space.space;
    }
}

// In earnest: the network's parameters of the smallest WindowPoSt, in a folder that may be written.

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SKIP_MINUTES_OF_ARITHMETIC() GTEST_SKIP() << "minutes of arithmetic under a sanitizer"
#else
#define SKIP_MINUTES_OF_ARITHMETIC() static_cast<void>(0)
#endif

const filecoin::CircuitKind kKind = filecoin::CircuitKind::kWindowPost;

class KeyCacheEngine : public ::testing::Test {
protected:
    void SetUp() override {
        if (!oracle::present()) GTEST_SKIP() << "no " << oracle::folder();
        const auto shared = (oracle::folder() / "params").string();
        for (const auto& path :
             {filecoin::params_path(shared, kKind, shape_), filecoin::vk_path(shared, kKind, shape_)})
            fs::copy_file(path, fs::path(folder_.path()) / fs::path(path).filename());
        config_.params_folder = folder_.path();
        config_.host_budget = u64{4} << 30;
        config_.key_caches = KeyCaches::kMake;
    }

    std::unique_ptr<Engine> engine() const {
        return make_filecoin_engine(
            config_, {{make_backend_device("cpu", std::make_shared<CpuBackend<Bls12_381>>()), false}});
    }
    JobResult prove(Engine& engine) const {
        const auto bytes = oracle::read_file(oracle::folder() / "wpost-2KiB" / "request.json");
        JobRequest request;
        request.content = RawRequest{bytes, "request.json"};
        JobResult result = finish(engine, engine.submit(std::move(request)).job_id, 120s);
        if (result.state == JobState::kCompleted) {
            const auto job = filecoin::prepare(filecoin::parse_request(bytes, "request"), "request");
            const Verifier<Bls12_381> verifier(filecoin::load_vk(folder_.path(), job.circuit, job.shape));
            EXPECT_TRUE(filecoin::verify_job(job, verifier, result.proof, "proof"));
        }
        return result;
    }
    // Of the key and its circuit together.
    static u64 host_bytes(const Engine& engine) {
        for (const MemoryStatus& space : engine.status().memory)
            for (const MemoryOwner& owner : space.owners)
                if (space.space == "host" && owner.owner == "key wpost-2k") return owner.bytes;
        return 0;
    }
    bool wait_for_cache() const {
        for (int i = 0; i < 2400; ++i) {
            if (filecoin::find_key_cache(folders(), kKind, shape_).file) return true;
            std::this_thread::sleep_for(50ms);
        }
        return false;
    }
    static bool noted(const Engine& engine, const std::string& text) {
        for (int i = 0; i < 3000; ++i) {
            for (const RecentError& error : engine.status().recent_errors)
                if (error.message.find(text) != std::string::npos) return true;
            std::this_thread::sleep_for(20ms);
        }
        return false;
    }
    filecoin::KeyCacheFolders folders() const { return {folder_.path(), ""}; }
    std::string cache_path() const { return filecoin::key_cache_path(folders(), kKind, shape_); }

    // Changes bytes of the cache's H query, and makes its digests fit if asked to.
    void spoil(const std::function<void(std::span<Affine<Bls12_381G1>>)>& change, bool reseal) const {
        std::vector<u8> bytes = oracle::read_file(cache_path());
        const KeyCacheFile file(ByteSource::open(cache_path()));
        const ParamsQuery h = file.queries()[0];
        change({reinterpret_cast<Affine<Bls12_381G1>*>(bytes.data() + h.offset),
                static_cast<std::size_t>(h.count)});
        if (reseal) {
            key_cache::QueryHasher query;
            query.update(std::span(bytes).subspan(h.offset, h.count * h.point_bytes));
            const auto digest = query.finish();
            const auto trailer = std::span(bytes).last(key_cache::kTrailerBytes);
            std::copy(digest.begin(), digest.end(), trailer.begin());
            Hasher all(Hasher::Algorithm::kSha256);
            all.update(std::span(bytes).first(h.offset));
            all.update(trailer.first(trailer.size() - 32));
            all.finish(trailer.last(32));
        }
        fs::remove(cache_path());
        std::ofstream(cache_path(), std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }

    const TemporaryFolder folder_;
    const filecoin::SectorShape shape_ = filecoin::sector_shape(2048);
    EngineConfig config_;
};

TEST_F(KeyCacheEngine, IsMadeBehindTheFirstLoadAndUsedByTheNext) {
    SKIP_MINUTES_OF_ARITHMETIC();
    u64 with_params = 0, key_bytes = 0;
    {
        const auto first = engine();
        first->preload("wpost-2k");
        with_params = host_bytes(*first);
        key_bytes = first->status().keys.at(0).key_bytes;
        ASSERT_TRUE(wait_for_cache());
    }
    const auto second = engine();
    second->preload("wpost-2k");
    EXPECT_EQ(host_bytes(*second), with_params - key_bytes);
    EXPECT_EQ(prove(*second).state, JobState::kCompleted);
    EXPECT_TRUE(second->status().recent_errors.empty());
}

TEST_F(KeyCacheEngine, AStaleOneIsToldOfAndMadeAnew) {
    ASSERT_EQ(filecoin::make_key_cache(folders(), kKind, shape_).outcome, filecoin::KeyCacheOutcome::kMade);
    fs::last_write_time(filecoin::params_path(folder_.path(), kKind, shape_),
                        fs::file_time_type::clock::now() - 1h);
    ASSERT_FALSE(filecoin::find_key_cache(folders(), kKind, shape_).file);
    const auto e = engine();
    e->preload("wpost-2k");
    EXPECT_TRUE(noted(*e, "has changed since it was made"));
    EXPECT_TRUE(wait_for_cache());
}

// No proof from a damaged key leaves the engine, and the job does not fail for it.
TEST_F(KeyCacheEngine, DamageIsCaughtByTheSelfCheckAndMendedFromTheSource) {
    SKIP_MINUTES_OF_ARITHMETIC();
    const struct {
        const char* what;
        bool reseal;
        std::function<void(std::span<Affine<Bls12_381G1>>)> change;
    } cases[] = {
        {"a point off the curve", false, [](auto points) { std::swap(points[7].x, points[7].y); }},
        {"valid points in the wrong places, digests that fit", true,
         [](auto points) { std::swap(points[7], points[8]); }},
    };
    for (const auto& c : cases) {
        SCOPED_TRACE(c.what);
        filecoin::make_key_cache(folders(), kKind, shape_);
        spoil(c.change, c.reseal);
        ASSERT_TRUE(filecoin::find_key_cache(folders(), kKind, shape_).file);  // a cheap look sees nothing
        const auto e = engine();
        const JobResult result = prove(*e);
        EXPECT_EQ(result.state, JobState::kCompleted) << result.error;
        EXPECT_GE(e->metrics().total("cuzk_selfcheck_failures_total"), 1);
        EXPECT_TRUE(noted(*e, "the key cache is dropped"));
        // A sound one is there again, and serves on.
        const auto again = filecoin::find_key_cache(folders(), kKind, shape_);
        ASSERT_TRUE(again.file) << again.problem;
        EXPECT_NO_THROW(again.file->check({PointChecks::kCurve, nullptr}));
        EXPECT_LT(host_bytes(*e), e->status().keys.at(0).key_bytes);
    }
}

// Where none may be made, the parameter file itself is read, and its memory reserved.
TEST_F(KeyCacheEngine, DamageWithoutLeaveToWriteIsMendedInMemory) {
    SKIP_MINUTES_OF_ARITHMETIC();
    filecoin::make_key_cache(folders(), kKind, shape_);
    spoil([](auto points) { points[3].y = -points[3].y; }, false);
    const std::vector<u8> before = oracle::read_file(cache_path());
    config_.key_caches = KeyCaches::kUse;
    const auto e = engine();
    const JobResult result = prove(*e);
    EXPECT_EQ(result.state, JobState::kCompleted) << result.error;
    EXPECT_GT(host_bytes(*e), e->status().keys.at(0).key_bytes);
    EXPECT_EQ(oracle::read_file(cache_path()), before);
    // It is not found again as long as the process lives.
    expect_at_rest(*e);
    e->evict("wpost-2k");
    e->preload("wpost-2k");
    EXPECT_GT(host_bytes(*e), e->status().keys.at(0).key_bytes);
}

TEST_F(KeyCacheEngine, NoLeaveToWriteIsToldOfOnce) {
    config_.key_cache_folder = folder_.path() + "/file";
    std::ofstream(config_.key_cache_folder) << "no folder";
    const auto e = engine();
    e->preload("wpost-2k");
    EXPECT_TRUE(noted(*e, "no key cache is made: "));
    e->evict("wpost-2k");
    e->preload("wpost-2k");
    std::this_thread::sleep_for(100ms);
    EXPECT_EQ(e->status().recent_errors.size(), 1u);
}

}  // namespace
}  // namespace cuzk::engine
