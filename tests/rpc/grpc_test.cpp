// The wire API call by call: codes, states, and the traps that clients know.
#include <cuzk/jobs/v1/jobs.grpc.pb.h>
#include <cuzk/v1/proving.grpc.pb.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <thread>

#include "rpc/convert.hpp"
#include "rpc/server_fixture.hpp"

namespace cuzk::rpc::test {
namespace {

using filecoin::ProofKind;
using grpc::StatusCode;

class ApiTest : public ServerTest {
protected:
    std::shared_ptr<grpc::Channel> channel() const {
        grpc::ChannelArguments arguments;
        arguments.SetMaxSendMessageSize(-1);
        return grpc::CreateCustomChannel(server_->addresses().at(0).text(),
                                         grpc::InsecureChannelCredentials(), arguments);
    }
    // Calls a method of the API with a message that the client class could not make.
    template <class Request, class Response>
    grpc::Status call(grpc::Status (v1::ProvingEngine::Stub::*method)(grpc::ClientContext*, const Request&,
                                                                      Response*),
                      const Request& message, Response& response,
                      std::chrono::milliseconds deadline = 20s) const {
        const auto stub = v1::ProvingEngine::NewStub(channel());
        grpc::ClientContext context;
        context.set_deadline(std::chrono::system_clock::now() + deadline);
        return ((*stub).*method)(&context, message, &response);
    }
};

using Stub = v1::ProvingEngine::Stub;

TEST_F(ApiTest, ProveReturnsTheProofAndTheRealId) {
    start();
    Client client(client_options());
    const auto result = client.prove(request("wdpost-1000-0-[1 2]"));
    EXPECT_EQ(result.state, engine::JobState::kCompleted);
    EXPECT_EQ(result.job_id, "wdpost-1000-0-[1 2]");
    EXPECT_EQ(fakes::text(result.proof), fakes::whole_proof(request("")));
    // Without an id of the caller's the daemon makes one, and says so here too.
    EXPECT_FALSE(client.prove(request("")).job_id.empty());
}

TEST_F(ApiTest, BadKindsAndAMissingSubmitAreInvalidArguments) {
    start();
    v1::ProveRequest message;
    v1::ProveResponse response;
    EXPECT_EQ(call(&Stub::Prove, message, response).error_code(), StatusCode::INVALID_ARGUMENT);
    for (const int kind : {0, 5, -1, 1 << 20}) {
        message.mutable_submit()->set_proof_kind(static_cast<v1::ProofKind>(kind));
        EXPECT_EQ(call(&Stub::Prove, message, response).error_code(), StatusCode::INVALID_ARGUMENT) << kind;
        v1::SubmitProofResponse submitted;
        EXPECT_EQ(call(&Stub::SubmitProof, message.submit(), submitted).error_code(),
                  StatusCode::INVALID_ARGUMENT);
    }
    EXPECT_TRUE(engine_->status().jobs.empty());
}

TEST_F(ApiTest, UnknownJobsAreNotFoundUnknownCircuitsInternal) {
    start();
    v1::AwaitProofRequest await;
    v1::AwaitProofResponse answer;
    EXPECT_EQ(call(&Stub::AwaitProof, await, answer).error_code(), StatusCode::NOT_FOUND);
    await.set_job_id("nobody");
    EXPECT_EQ(call(&Stub::AwaitProof, await, answer).error_code(), StatusCode::NOT_FOUND);
    v1::CancelProofRequest cancel;
    cancel.set_job_id("nobody");
    v1::CancelProofResponse cancelled;
    EXPECT_TRUE(call(&Stub::CancelProof, cancel, cancelled).ok());
    EXPECT_FALSE(cancelled.was_running());
    v1::PreloadSrsRequest preload;
    v1::PreloadSrsResponse loaded;
    v1::EvictSrsRequest evict;
    v1::EvictSrsResponse evicted;
    for (const char* id : {"", "porep-33g", "porep-c2"}) {
        preload.set_circuit_id(id);
        evict.set_circuit_id(id);
        EXPECT_EQ(call(&Stub::PreloadSRS, preload, loaded).error_code(), StatusCode::INTERNAL) << id;
        EXPECT_EQ(call(&Stub::EvictSRS, evict, evicted).error_code(), StatusCode::INTERNAL) << id;
    }
}

TEST_F(ApiTest, AFailedJobIsAnAnswerNotAnError) {
    start();
    Client client(client_options());
    filecoin::ProofRequest bad = request("bad");
    bad.sector_size = 666;  // the fakes refuse it when they decode
    const auto result = client.prove(bad);
    EXPECT_EQ(result.state, engine::JobState::kFailed);
    EXPECT_NE(result.error.find("the number of the beast"), std::string::npos) << result.error;
    EXPECT_TRUE(result.proof.empty());
}

TEST_F(ApiTest, JobsThatNameNoTimeoutHaveTheDaemons) {
    world_.prove_delay = 300ms;
    options_.jobs.timeout = 50ms;
    start();
    const auto result = Client(client_options()).prove(request("slow", 4));
    EXPECT_EQ(result.state, engine::JobState::kTimedOut);
    EXPECT_NE(result.error.find("within its timeout of 50 ms"), std::string::npos) << result.error;
}

TEST_F(ApiTest, WhereThereIsALongestTimeoutNoJobGoesOnForEver) {
    world_.prove_delay = 300ms;
    options_.jobs.max_timeout = 60ms;
    start();
    EXPECT_EQ(Client(client_options()).prove(request("slow", 4)).state, engine::JobState::kTimedOut);
}

TEST_F(ApiTest, WaitsEndWithoutTheirJobs) {
    world_.prove_delay = 150ms;
    start();
    Client client(client_options());
    const std::string job = client.submit(request("slow", 4)).job_id;
    EXPECT_EQ(client.await(job, 1ms).state, engine::JobState::kTimedOut);
    v1::AwaitProofRequest await;
    await.set_job_id(job);
    v1::AwaitProofResponse answer;
    EXPECT_EQ(call(&Stub::AwaitProof, await, answer, 30ms).error_code(), StatusCode::DEADLINE_EXCEEDED);
    // A client that is gone, too: the deadline cuts the call of Prove.
    EXPECT_THROW(client.prove(request("slow", 4), 30ms), Error);
    const auto result = client.await(job);
    EXPECT_EQ(result.state, engine::JobState::kCompleted);
    EXPECT_EQ(client.await(job).proof, result.proof) << "late waits get the same proof";
    EXPECT_EQ(engine_->status().completed, 1u) << "all of them were one job";
    await.set_timeout_ms(~u64{0});  // as long as it takes
    EXPECT_TRUE(call(&Stub::AwaitProof, await, answer).ok());
    EXPECT_EQ(answer.status(), v1::AwaitProofResponse::COMPLETED);
    EXPECT_GT(answer.total_ms(), 0u);
}

TEST_F(ApiTest, CancelEndsAJobForItsWaiters) {
    world_.prove_delay = 200ms;
    start();
    Client client(client_options());
    const std::string job = client.submit(request("doomed", 50)).job_id;
    std::thread waiter([&] {
        Client other(client_options());
        const auto result = other.await(job);
        EXPECT_EQ(result.state, engine::JobState::kCancelled);
        EXPECT_TRUE(result.proof.empty());
    });
    EXPECT_TRUE(client.cancel(job));
    waiter.join();
    EXPECT_FALSE(client.cancel(job));
}

TEST_F(ApiTest, OneIdTwoContentsTwoProofs) {
    world_.prove_delay = 20ms;
    start();
    std::vector<std::thread> callers;
    for (u64 sector = 1; sector <= 4; ++sector)
        callers.emplace_back([&, sector] {
            Client client(client_options());
            const auto result = client.prove(request("wdpost-shared", 3, sector));
            EXPECT_EQ(fakes::text(result.proof), fakes::whole_proof(request("", 3, sector)));
        });
    for (auto& caller : callers) caller.join();
    EXPECT_EQ(engine_->status().completed, 4u);
}

TEST_F(ApiTest, StatusTellsQueuesDevicesKeys) {
    world_.prove_delay = 100ms;
    start();
    Client client(client_options());
    const std::string running = client.submit(request("running", 8)).job_id;
    const std::string waiting = client.submit(request("waiting", 8, 2, ProofKind::kPorepSealCommit)).job_id;
    // Both jobs are under way at once, so only one answer of the daemon can be looked at.
    ServiceStatus s;
    const auto window_key = [&] {
        return std::find_if(s.keys.begin(), s.keys.end(),
                            [](const auto& k) { return k.circuit_id == "wpost-2k"; });
    };
    ASSERT_TRUE(fakes::eventually([&] {
        s = client.status();
        return s.gpus.at(0).kind == "window-post" && s.queues[2].in_progress == 1 &&
               window_key() != s.keys.end();
    }));
    ASSERT_EQ(s.queues.size(), 4u);
    EXPECT_EQ(s.queues[0].kind, "porep-c2");
    EXPECT_EQ(s.queues[0].pending + s.queues[0].in_progress, 1u);
    EXPECT_EQ(s.queues[1].kind, "snap-update");
    EXPECT_EQ(s.queues[2].kind, "window-post");
    EXPECT_EQ(s.queues[3].kind, "winning-post");
    ASSERT_EQ(s.gpus.size(), 1u) << "one entry a device, not a worker";
    EXPECT_EQ(s.gpus[0].job_id, running);
    EXPECT_GT(window_key()->bytes, 0u);
    EXPECT_GT(window_key()->references, 0u);
    EXPECT_GT(s.pinned_limit_bytes, 0u);
    client.cancel(running);
    client.cancel(waiting);
}

TEST_F(ApiTest, KeysComeAndGo) {
    start();
    Client client(client_options());
    EXPECT_FALSE(client.evict("wpost-2k").was_loaded);
    EXPECT_FALSE(client.preload("wpost-2k").already_loaded);
    EXPECT_TRUE(client.preload("wpost-2k").already_loaded);
    const auto evicted = client.evict("wpost-2k");
    EXPECT_TRUE(evicted.was_loaded);
    EXPECT_GT(evicted.freed_bytes, 0u);
}

TEST_F(ApiTest, MessagesBeyondFourMebibytesArriveAndTheLimitHolds) {
    options_.max_message_bytes = u64{24} << 20;
    config_.host_budget = u64{1} << 30;
    start();
    Client client(client_options());
    filecoin::ProofRequest large = request("large", 1);
    large.vanilla_proof.assign(std::size_t{20} << 20, 'x');
    const auto result = client.prove(large);
    EXPECT_EQ(result.state, engine::JobState::kCompleted) << result.error;
    EXPECT_EQ(result.proof.size(), fakes::whole_proof(large).size());
    large.vanilla_proof.resize(std::size_t{25} << 20);
    v1::SubmitProofRequest message;
    fill_request(large, message);
    v1::SubmitProofResponse response;
    EXPECT_EQ(call(&Stub::SubmitProof, message, response).error_code(), StatusCode::RESOURCE_EXHAUSTED);
}

TEST_F(ApiTest, ClientsAreHeldToTheirLimits) {
    world_.prove_delay = 500ms;
    config_.max_jobs_per_client = 3;
    options_.jobs.max_bytes_per_client = 10'000;
    start();
    Client client(client_options());
    filecoin::ProofRequest heavy = request("heavy", 1);
    heavy.vanilla_proof.resize(9'900);
    const std::string job = client.submit(heavy).job_id;
    v1::SubmitProofRequest message;
    heavy.request_id = "second";
    fill_request(heavy, message);
    v1::SubmitProofResponse response;
    EXPECT_EQ(call(&Stub::SubmitProof, message, response).error_code(), StatusCode::RESOURCE_EXHAUSTED)
        << "bytes";
    client.submit(request("a"));
    client.submit(request("b", 2, 2));
    message.Clear();
    fill_request(request("c", 2, 3), message);
    EXPECT_EQ(call(&Stub::SubmitProof, message, response).error_code(), StatusCode::RESOURCE_EXHAUSTED)
        << "jobs";
    EXPECT_TRUE(client.cancel(job));
    EXPECT_TRUE(call(&Stub::SubmitProof, message, response).ok()) << "a job that ended makes room";
}

TEST_F(ApiTest, ADrainingDaemonTakesNothingNewAndFinishesTheRest) {
    world_.prove_delay = 50ms;
    start();
    Client client(client_options());
    const std::string job = client.submit(request("before", 3)).job_id;
    EXPECT_EQ(client.drain(), 1u);
    v1::SubmitProofRequest message;
    fill_request(request("after"), message);
    v1::SubmitProofResponse response;
    EXPECT_EQ(call(&Stub::SubmitProof, message, response).error_code(), StatusCode::UNAVAILABLE);
    EXPECT_EQ(client.await(job).state, engine::JobState::kCompleted);
}

TEST_F(ApiTest, WatchStreamsProgressToTheEnd) {
    world_.prove_delay = 60ms;
    start();
    Client client(client_options());
    const std::string job = client.submit(request("watched", 5)).job_id;
    std::vector<JobLine> news;
    client.watch(job, [&](const JobLine& line) {
        news.push_back(line);
        return true;
    });
    ASSERT_GE(news.size(), 3u);
    EXPECT_EQ(news.back().state, "completed");
    EXPECT_TRUE(news.back().final);
    EXPECT_EQ(news.back().partitions_done, 5u);
    for (std::size_t i = 1; i < news.size(); ++i)
        EXPECT_GE(news[i].partitions_done, news[i - 1].partitions_done);
    EXPECT_THROW(client.watch("nobody", [](const JobLine&) { return true; }), Error);
    const auto jobs = client.jobs();
    ASSERT_EQ(jobs.size(), 1u);
    EXPECT_EQ(jobs[0].client, "local");
}

TEST_F(ApiTest, HealthAnswers) {
    start();
    const auto raw_call = [&](const std::string& method, const std::string& body) {
        grpc::ClientContext context;
        context.set_deadline(std::chrono::system_clock::now() + 5s);
        grpc::GenericStub stub(channel());
        grpc::CompletionQueue queue;
        grpc::Slice slice(body);
        const grpc::ByteBuffer request(&slice, 1);
        grpc::ByteBuffer response;
        grpc::Status status;
        const auto rpc = stub.PrepareUnaryCall(&context, method, request, &queue);
        rpc->StartCall();
        rpc->Finish(&response, &status, nullptr);
        void* tag = nullptr;
        bool ok = false;
        queue.Next(&tag, &ok);
        EXPECT_TRUE(status.ok()) << status.error_message();
        std::vector<grpc::Slice> slices;
        response.Dump(&slices);
        std::string text;
        for (const grpc::Slice& s : slices) text.append(reinterpret_cast<const char*>(s.begin()), s.size());
        return text;
    };
    EXPECT_EQ(raw_call("/grpc.health.v1.Health/Check", ""), std::string("\x08\x01", 2)) << "SERVING";
    server_->set_serving(false);
    EXPECT_EQ(raw_call("/grpc.health.v1.Health/Check", ""), std::string("\x08\x02", 2)) << "NOT_SERVING";
}

TEST_F(ApiTest, TwoServersDoNotShareAnAddress) {
    options_.listen = {parse_address("unix:" + folder_.file("c.sock")), parse_address("127.0.0.1:0")};
    start();
    EXPECT_NE(server_->addresses().at(1).port, 0);
    for (const Address& taken : server_->addresses()) {
        GrpcOptions options;
        options.listen = {taken};
        try {
            const GrpcServer second(*engine_, tokens_, options, [] { return ""; });
            ADD_FAILURE() << taken.text() << " is served twice";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::kEnvironment) << error.what();
        }
    }
    for (std::size_t i = 0; i < 2; ++i)
        EXPECT_EQ(Client(client_options(i)).prove(request("over " + std::to_string(i))).state,
                  engine::JobState::kCompleted);
}

TEST_F(ApiTest, ExposureNeedsTlsAndTokens) {
    options_.listen = {parse_address("0.0.0.0:0")};
    try {
        start();
        ADD_FAILURE() << "listens to the world";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kUsage);
        EXPECT_NE(std::string(error.what()).find("allow_insecure"), std::string::npos) << error.what();
    }
    options_.allow_insecure = true;
    start();
    server_.reset();
}

}  // namespace
}  // namespace cuzk::rpc::test
