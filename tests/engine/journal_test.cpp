// Accepted jobs outlive the process.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "engine/journal.hpp"
#include "fakes.hpp"

namespace cuzk::engine {
namespace {

using namespace fakes;
constexpr ProofKind kPorep = ProofKind::kPorepSealCommit;

JournalJob job_of(const ProofRequest& r, const std::string& id) {
    return {id, "request of " + id, "client", content_digest(r), job_kind(r.kind),
            "", Priority::kHigh,    1234ms};
}

std::string read_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_text(const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

std::size_t spooled(const std::string& folder) {
    std::size_t n = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder + "/spool")) ++n;
    return n;
}

TEST(Journal, KeepsOpenAndEndedJobs) {
    const TemporaryFolder folder;
    ProofRequest r = content(kPorep, "porep-32g", 2);
    r.vanilla_proofs = {{1, 2}, {3}};
    {
        Journal journal(folder.path(), nullptr);
        EXPECT_TRUE(journal.take_restored().empty());
        for (const char* id : {"a", "b", "c/../\"\n"}) journal.accept(job_of(r, id), r);
        JobResult result;
        result.job_id = "b";
        result.state = JobState::kCompleted;
        result.proof = {7, 8, 9};
        result.timings = {1, 2, 3, 4, 5};
        EXPECT_TRUE(journal.end(result));
        result.job_id = "never accepted";
        EXPECT_FALSE(journal.end(result));
        EXPECT_EQ(spooled(folder.path()), 2u);
        EXPECT_THROW(Journal(folder.path(), nullptr), Error);  // one process at a time
    }
    for (int round = 0; round < 2; ++round) {  // the second time from the compacted file
        Journal journal(folder.path(), nullptr);
        const auto restored = journal.take_restored();
        ASSERT_EQ(restored.size(), 3u);
        EXPECT_EQ(restored[0].job.job_id, "a");
        EXPECT_EQ(restored[0].job.request_id, "request of a");
        EXPECT_EQ(restored[0].job.client, "client");
        EXPECT_EQ(restored[0].job.priority, Priority::kHigh);
        EXPECT_EQ(restored[0].job.timeout, 1234ms);
        EXPECT_EQ(restored[0].job.digest, content_digest(r));
        ASSERT_TRUE(restored[0].request);
        EXPECT_EQ(std::get<ProofRequest>(*restored[0].request).vanilla_proofs, r.vanilla_proofs);
        ASSERT_TRUE(restored[1].result);
        EXPECT_EQ(restored[1].result->proof, (std::vector<u8>{7, 8, 9}));
        EXPECT_EQ(restored[1].result->timings.total, 5u);
        EXPECT_EQ(restored[2].job.job_id, "c/../\"\n");
        EXPECT_EQ(journal.damaged_records(), 0u);
    }
    {
        Journal journal(folder.path(), nullptr);
        journal.forget("b");
    }
    EXPECT_EQ(Journal(folder.path(), nullptr).take_restored().size(), 2u);
}

TEST(Journal, EveryTornTailLosesAtMostTheLastRecord) {
    const TemporaryFolder folder;
    const std::string log = folder.path() + "/journal.log";
    const ProofRequest r = content(kPorep, "porep-32g", 2);
    std::size_t first_end = 0;
    {
        Journal journal(folder.path(), nullptr);
        journal.accept(job_of(r, "a"), r);
        first_end = read_text(log).size();
        journal.accept(job_of(r, "b"), r);
    }
    const std::string whole = read_text(log);
    const TemporaryFolder copy;
    for (std::size_t n = 0; n <= whole.size(); n += 1 + n % 29) {
        std::filesystem::remove_all(copy.path());
        std::filesystem::copy(folder.path(), copy.path(), std::filesystem::copy_options::recursive);
        write_text(copy.path() + "/journal.log", whole.substr(0, n));
        Journal journal(copy.path(), nullptr);
        const auto restored = journal.take_restored();
        EXPECT_EQ(restored.size(), n < first_end ? 0u : n < whole.size() ? 1u : 2u) << n;
        EXPECT_EQ(journal.damaged_records(), 0u);
        EXPECT_EQ(spooled(copy.path()), restored.size());  // content without a record goes
        journal.accept(job_of(r, "after"), r);             // and the journal goes on
    }
}

TEST(Journal, DamageInTheMiddleIsReportedAndSkipped) {
    const TemporaryFolder folder;
    const std::string log = folder.path() + "/journal.log";
    const ProofRequest r = content(kPorep, "porep-32g", 2);
    {
        Journal journal(folder.path(), nullptr);
        for (const char* id : {"a", "b", "c"}) journal.accept(job_of(r, id), r);
    }
    std::string text = read_text(log);
    text[text.find('\n') + 40] ^= 1;
    write_text(log, text);
    Journal journal(folder.path(), nullptr);
    const auto restored = journal.take_restored();
    ASSERT_EQ(restored.size(), 2u);
    EXPECT_EQ(restored[0].job.job_id, "a");
    EXPECT_EQ(restored[1].job.job_id, "c");
    EXPECT_EQ(journal.damaged_records(), 1u);
}

TEST(Journal, DamagedContentIsReported) {
    const TemporaryFolder folder;
    const ProofRequest r = content(kPorep, "porep-32g", 2);
    {
        Journal journal(folder.path(), nullptr);
        journal.accept(job_of(r, "a"), r);
        journal.accept(job_of(r, "b"), r);
    }
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path() + "/spool"))
        files.push_back(entry.path());
    std::filesystem::remove(files[0]);
    std::string spool = read_text(files[1]);
    spool[20] ^= 1;
    write_text(files[1], spool);
    for (const RestoredJob& job : Journal(folder.path(), nullptr).take_restored()) {
        EXPECT_FALSE(job.request);
        EXPECT_FALSE(job.problem.empty());
    }
}

TEST(Journal, StaysSmall) {
    const TemporaryFolder folder;
    const ProofRequest r = content(kPorep, "porep-32g", 2);
    Journal journal(folder.path(), nullptr);
    JobResult result;
    result.state = JobState::kCompleted;
    result.proof.resize(192 * 20);
    for (int i = 0; i < 300; ++i) {
        result.job_id = "job " + std::to_string(i);
        journal.accept(job_of(r, result.job_id), r);
        EXPECT_TRUE(journal.end(result));
        if (i >= 10) journal.forget("job " + std::to_string(i - 10));
    }
    EXPECT_LT(std::filesystem::file_size(folder.path() + "/journal.log"), u64{1100} << 10);
    EXPECT_EQ(spooled(folder.path()), 0u);
}

// The process may write no file beyond a size: what a full disk looks like to it.
TEST(Journal, AFullDiskRefusesTheJobAndKeepsTheOthers) {
    const TemporaryFolder folder;
    const ProofRequest small = content(kPorep, "porep-32g", 2);
    ProofRequest large = small;
    large.vanilla_proof.resize(u64{1} << 20);
    {
        Journal journal(folder.path(), nullptr);
        journal.accept(job_of(small, "a"), small);
        const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
        rlimit old{};
        getrlimit(RLIMIT_FSIZE, &old);
        rlimit full = old;
        full.rlim_cur = u64{64} << 10;
        setrlimit(RLIMIT_FSIZE, &full);
        EXPECT_THROW(journal.accept(job_of(large, "b"), large), Error);
        setrlimit(RLIMIT_FSIZE, &old);
        std::signal(SIGXFSZ, old_handler);
        EXPECT_EQ(spooled(folder.path()), 1u);
        journal.accept(job_of(small, "c"), small);
    }
    const auto restored = Journal(folder.path(), nullptr).take_restored();
    ASSERT_EQ(restored.size(), 2u);
    EXPECT_EQ(restored[1].job.job_id, "c");
}

TEST(JournalEngine, UnfinishedJobsResumeAndFinishedOnesCanBeAwaited) {
    World world;
    const TemporaryFolder folder;
    EngineConfig config = small_config();
    config.journal_folder = folder.path();
    const ProofRequest done = content(kPorep, "porep-32g", 2, 1), open = content(kPorep, "porep-32g", 3, 2);
    {
        std::atomic<bool> stuck = false;
        const auto engine = make_engine(
            world, config, {}, std::make_shared<Script>([&](FaultPoint p, const std::string& job, i64, i64) {
                if (p == FaultPoint::kSynthesis && job == "open") {
                    stuck = true;
                    std::this_thread::sleep_for(200ms);
                }
            }));
        finish(*engine, engine->submit(request(done, "done")).job_id);
        engine->submit(request(open, "open"));
        const ProofRequest cancelled = content(kPorep, "porep-32g", 3, 3);
        EXPECT_TRUE(eventually([&] { return stuck.load(); }));
        engine->submit(request(cancelled, "cancelled"));
        engine->cancel("cancelled");
        engine->stop(Clock::now());
        EXPECT_EQ(finish(*engine, "open").state, JobState::kCancelled);
    }
    const auto engine = make_engine(world, config);
    EXPECT_EQ(text(finish(*engine, "open").proof), whole_proof(open));
    EXPECT_EQ(text(finish(*engine, "done").proof), whole_proof(done));
    EXPECT_EQ(finish(*engine, "cancelled").state, JobState::kCancelled);
    EXPECT_TRUE(engine->submit(request(open, "open")).joined);
    EXPECT_TRUE(engine->submit(request(done, "done")).joined);
    EXPECT_EQ(world.log.count("prove " + partition_proof(done, 0)), 1u);
}

TEST(JournalEngine, Defect16KillMinusNineLosesNoAcceptedJob) {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "the sanitizer does not follow threads of a forked process";
#endif
    const TemporaryFolder folder;
    EngineConfig config = small_config();
    config.journal_folder = folder.path();
    constexpr u64 kJobs = 20;
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        World world;
        world.prove_delay = 5ms;
        const auto engine = make_engine(world, config);
        for (u64 i = 0; i < kJobs; ++i) {
            const std::string id =
                engine->submit(request(content(kPorep, "porep-32g", 4, i), "j" + std::to_string(i))).job_id;
            const u8 accepted = static_cast<u8>(i);
            if (write(ends[1], &accepted, 1) != 1) _exit(1);
        }
        for (;;) pause();
    }
    close(ends[1]);
    u8 accepted = 0;
    while (read(ends[0], &accepted, 1) == 1 && accepted + 1u < kJobs) {
    }
    close(ends[0]);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);

    World world;
    const auto engine = make_engine(world, config);
    for (u64 i = 0; i < kJobs; ++i) {
        const JobResult result = finish(*engine, "j" + std::to_string(i));
        EXPECT_EQ(result.state, JobState::kCompleted);
        EXPECT_EQ(text(result.proof), whole_proof(content(kPorep, "porep-32g", 4, i)));
    }
}

TEST(JournalEngine, AJournalThatCannotBeWrittenRefusesTheJobAndNothingElse) {
    World world;
    const TemporaryFolder folder;
    EngineConfig config = small_config();
    config.journal_folder = folder.path();
    std::atomic<bool> full = false;
    const auto engine =
        make_engine(world, config, {}, std::make_shared<Script>([&](FaultPoint p, auto&&, i64, i64) {
                        if (p == FaultPoint::kJournalWrite && full)
                            throw Error(ErrorKind::kEnvironment, "No space left on device");
                    }));
    const ProofRequest before = content(kPorep, "porep-32g", 2, 1);
    const Ticket first = engine->submit(request(before));
    full = true;
    try {
        engine->submit(request(content(kPorep, "porep-32g", 2, 2), "x"));
        FAIL() << "a job that is not on disk was accepted";
    } catch (const RefusedError& e) {
        EXPECT_EQ(e.reason(), Refusal::kJournal);
        EXPECT_EQ(e.kind(), ErrorKind::kEnvironment);
        EXPECT_NE(std::string(e.what()).find("No space left"), std::string::npos);
    }
    EXPECT_EQ(engine->await("x", Clock::now()).kind, AwaitResult::Kind::kUnknownJob);
    EXPECT_EQ(text(finish(*engine, first.job_id).proof),
              whole_proof(before));  // its end could not be recorded
    full = false;
    EXPECT_EQ(finish(*engine, engine->submit(request(content(kPorep, "porep-32g", 2, 2), "x")).job_id).state,
              JobState::kCompleted);
    expect_at_rest(*engine);
}

TEST(JournalEngine, LostContentIsReportedAndAnUnusableFolderRefused) {
    const TemporaryFolder folder;
    EngineConfig config = small_config();
    config.journal_folder = folder.path();
    const ProofRequest r = content(kPorep, "porep-32g", 2);
    Journal(folder.path(), nullptr).accept(job_of(r, "lost"), r);
    for (const auto& entry : std::filesystem::directory_iterator(folder.path() + "/spool"))
        write_text(entry.path(), "nonsense");
    World world;
    {
        const auto engine = make_engine(world, config);
        const JobResult result = finish(*engine, "lost");
        EXPECT_EQ(result.state, JobState::kFailed);
        EXPECT_NE(result.error.find("after a restart"), std::string::npos) << result.error;
        EXPECT_THROW(make_engine(world, config), Error);  // in use
    }
    config.journal_folder = "/proc/no/such/folder";
    EXPECT_THROW(make_engine(world, config), Error);
}

}  // namespace
}  // namespace cuzk::engine
