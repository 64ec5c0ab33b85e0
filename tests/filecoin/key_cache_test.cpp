// Key caches of parameter files: where they are, when they are of use, and who writes them.
#include "filecoin/params/key_cache.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "base/file_lock.hpp"
#include "filecoin/params/store.hpp"
#include "filecoin/prove/prove.hpp"
#include "groth16/cpu_backend.hpp"
#include "oracle.hpp"

namespace cuzk::filecoin {
namespace {

namespace fs = std::filesystem;

const CircuitKind kKind = CircuitKind::kWindowPost;

class KeyCaches : public ::testing::Test {
protected:
    void SetUp() override {
        if (!oracle::present()) GTEST_SKIP() << "no " << oracle::folder();
        std::string name = (fs::temp_directory_path() / "cuzk-caches-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
        fs::create_directory(folder_ / "params");
        const auto source = params_path((oracle::folder() / "params").string(), kKind, shape_);
        fs::copy_file(source, params());
        fs::permissions(params(), fs::perms::owner_all);
        folders_.params = (folder_ / "params").string();
    }
    void TearDown() override {
        std::error_code ignored;
        if (!folder_.empty()) fs::remove_all(folder_, ignored);
    }
    std::string params() const { return params_path((folder_ / "params").string(), kKind, shape_); }
    MadeKeyCache make(bool anew = false) const { return make_key_cache(folders_, kKind, shape_, anew); }
    FoundKeyCache find() const { return find_key_cache(folders_, kKind, shape_); }
    std::size_t files(const fs::path& folder) const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
    }
    void expect_stale(const char* reason) const {
        const FoundKeyCache found = find();
        EXPECT_FALSE(found.file);
        EXPECT_NE(found.problem.find(reason), std::string::npos) << found.problem;
    }
    void overwrite(u64 at, const std::vector<u8>& bytes) const {
        const std::string path = key_cache_path(folders_, kKind, shape_);
        std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(static_cast<std::streamoff>(at));
        file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        ASSERT_TRUE(file.good());
    }

    fs::path folder_;
    const SectorShape shape_ = sector_shape(2048);
    KeyCacheFolders folders_;
};

TEST_F(KeyCaches, AreMadeOnceAndFound) {
    EXPECT_FALSE(find().file);
    EXPECT_TRUE(find().problem.empty());
    const MadeKeyCache made = make();
    EXPECT_EQ(made.outcome, KeyCacheOutcome::kMade);
    EXPECT_EQ(made.bytes, fs::file_size(made.path));
    ASSERT_TRUE(find().file);
    EXPECT_EQ(find().file->circuit(), parameter_name(kKind, shape_));
    EXPECT_EQ(make().outcome, KeyCacheOutcome::kFresh);
    EXPECT_EQ(make(true).outcome, KeyCacheOutcome::kMade);
    EXPECT_EQ(files(folders_.params), 2u);
    // Of another circuit there is none, nor a parameter file.
    EXPECT_THROW(make_key_cache(folders_, CircuitKind::kPorep, shape_), Error);
}

// The network's own proof bytes, from a key that was never decoded.
TEST_F(KeyCaches, ProveByteForByteAsTheParameterFile) {
    make();
    const ProofJob job = prepare(
        parse_request(oracle::read_file(oracle::folder() / "wpost-2KiB" / "request.json"), "request.json"),
        "request.json");
    const auto key = std::make_shared<ProvingKey<Bls12_381>>(find().file->proving_key());
    key->circuit = std::make_shared<const CompiledCircuit>(job.circuit, job.shape);
    CpuBackend<Bls12_381> backend;
    Prover<Bls12_381> prover(backend, key);
    const nlohmann::json fixed = oracle::load("wpost-2KiB/meta.json")["fixed"];
    ProveOptions<Fr> options;
    options.fixed = FixedBlinding<Fr>{
        {}, oracle::scalar(fixed["r"].get<std::string>()), oracle::scalar(fixed["s"].get<std::string>())};
    EXPECT_EQ(prove_job(job, prover, options),
              oracle::read_file(oracle::folder() / "wpost-2KiB" / "proof-fixed.bin"));
}

TEST_F(KeyCaches, AreOfNoUseWhenTheirSourceChangedOrTheyAreDamaged) {
    make();
    fs::last_write_time(params(), fs::file_time_type::clock::now() - std::chrono::hours(1));
    expect_stale("has changed since");
    EXPECT_EQ(make().outcome, KeyCacheOutcome::kMade);
    ASSERT_TRUE(find().file);
    std::ofstream(params(), std::ios::binary | std::ios::app) << "x";
    expect_stale("has changed since");
    fs::resize_file(params(), fs::file_size(params()) - 1);
    make();
    ASSERT_TRUE(find().file);

    overwrite(8, {2, 0, 0, 0});
    expect_stale("version 2 is not supported");
    EXPECT_EQ(make().outcome, KeyCacheOutcome::kMade);
    overwrite(200, {0xff});
    expect_stale("the file is damaged");
    make();
    fs::resize_file(key_cache_path(folders_, kKind, shape_), 100'000);
    expect_stale("was written with");
    make();
    ASSERT_TRUE(find().file);
    fs::rename(key_cache_path(folders_, kKind, shape_),
               key_cache_path(folders_, CircuitKind::kWinningPost, shape_));
    fs::copy_file(params(), params_path(folders_.params, CircuitKind::kWinningPost, shape_));
    const FoundKeyCache other = find_key_cache(folders_, CircuitKind::kWinningPost, shape_);
    EXPECT_NE(other.problem.find("of another circuit"), std::string::npos) << other.problem;
}

// Other parameters of the same circuit, with the length and the time of those that the cache was made from.
TEST_F(KeyCaches, AreOfNoUseForOtherParametersOfTheSameLengthAndTime) {
    make();
    const auto time = fs::last_write_time(params());
    std::vector<u8> bytes = oracle::read_file(params());
    // Both are points of G2: beta and gamma, behind alpha and beta in G1.
    std::swap_ranges(bytes.begin() + 192, bytes.begin() + 384, bytes.begin() + 384);
    std::ofstream(params(), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    fs::last_write_time(params(), time);
    expect_stale("its verifying key is not the parameter file's");
    EXPECT_EQ(make().outcome, KeyCacheOutcome::kMade);
    EXPECT_TRUE(find().file);
}

TEST_F(KeyCaches, MayLieElsewhere) {
    fs::permissions(folders_.params, fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_THROW(make(), Error);
    EXPECT_EQ(files(folders_.params), 1u);
    folders_.caches = (folder_ / "caches" / "of" / "keys").string();
    const MadeKeyCache made = make();
    EXPECT_EQ(fs::path(made.path).parent_path(), folders_.caches);
    EXPECT_TRUE(find().file);
    fs::permissions(folders_.params, fs::perms::owner_all);
    // Those beside the parameter files are found, too.
    fs::rename(made.path, fs::path(folders_.params) / fs::path(made.path).filename());
    EXPECT_TRUE(find().file);
}

TEST_F(KeyCaches, HaveOneWriterAtATimeWhichRemovesWhatAnotherLeft) {
    const std::string path = key_cache_path(folders_, kKind, shape_);
    {
        const auto lock = FileLock::try_acquire(path + ".lock");
        ASSERT_TRUE(lock);
        EXPECT_FALSE(FileLock::try_acquire(path + ".lock"));
        EXPECT_EQ(make().outcome, KeyCacheOutcome::kBusy);
        EXPECT_FALSE(find().file);
    }
    std::ofstream(path + ".tmp-0123456789abcdef") << "half a cache";
    std::ofstream(path + ".lock") << "of a process that was killed";
    EXPECT_EQ(make().outcome, KeyCacheOutcome::kMade);
    EXPECT_EQ(files(folders_.params), 2u);
}

TEST_F(KeyCaches, StoppingLeavesNothing) {
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(make_key_cache(folders_, kKind, shape_, false, {PointChecks::kNone, nullptr, stop.get_token()})
                  .outcome,
              KeyCacheOutcome::kStopped);
    EXPECT_EQ(files(folders_.params), 1u);
}

}  // namespace
}  // namespace cuzk::filecoin
