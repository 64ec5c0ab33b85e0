// Many clients that come, cancel and vanish: no job is lost, none is made twice, nothing is left over.
#include <atomic>
#include <random>
#include <thread>

#include "rpc/server_fixture.hpp"

namespace cuzk::rpc::test {
namespace {

TEST_F(ServerTest, SixtyFourClientsWithCancelsAndDisconnects) {
    constexpr u64 kClients = 64, kJobs = 16;
    config_.max_results = 10'000;
    start();
    std::atomic<u64> completed{0}, cancelled{0}, dropped{0}, wrong{0};
    std::vector<std::jthread> clients;
    for (u64 c = 0; c < kClients; ++c)
        clients.emplace_back([&, c] {
            std::mt19937_64 random(c);
            Client client(client_options());
            for (u64 i = 0; i < kJobs; ++i) {
                const u64 sector = c * kJobs + i + 1;
                const filecoin::ProofRequest wanted = request("job-" + std::to_string(sector), 2, sector);
                switch (random() % 4) {
                    case 0: {  // a cancel that races with the job
                        const std::string id = client.submit(wanted).job_id;
                        if (random() % 2 == 0) std::this_thread::sleep_for(1ms);
                        const bool was_running = client.cancel(id);
                        const auto result = client.await(id);
                        const auto expected =
                            was_running ? engine::JobState::kCancelled : engine::JobState::kCompleted;
                        wrong += result.state == expected ? 0 : 1;
                        ++(was_running ? cancelled : completed);
                        break;
                    }
                    case 1: {  // a client that vanishes in the middle of its call; the job is awaited by another
                        try {
                            Client(client_options()).prove(wanted, 3ms);
                        } catch (const Error&) {
                            ++dropped;
                        }
                        const auto result = client.prove(wanted);
                        wrong += fakes::text(result.proof) == fakes::whole_proof(wanted) ? 0 : 1;
                        ++completed;
                        break;
                    }
                    default: {
                        const auto result = client.prove(wanted);
                        wrong += result.job_id == wanted.request_id &&
                                         fakes::text(result.proof) == fakes::whole_proof(wanted)
                                     ? 0
                                     : 1;
                        ++completed;
                    }
                }
            }
        });
    clients.clear();
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(completed + cancelled, kClients * kJobs);
    const engine::EngineStatus status = engine_->status();
    EXPECT_EQ(status.completed, completed);
    EXPECT_EQ(status.cancelled, cancelled);
    EXPECT_EQ(status.failed, 0u);
    for (u64 sector = 1; sector <= kClients * kJobs; ++sector) {
        const auto job = engine_->job("job-" + std::to_string(sector));
        EXPECT_TRUE(job && engine::is_final(job->state)) << sector;
    }
    fakes::expect_at_rest(*engine_);
    EXPECT_GT(dropped, 0u);
    EXPECT_GT(cancelled, 0u);
}

}  // namespace
}  // namespace cuzk::rpc::test
