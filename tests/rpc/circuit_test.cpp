// Registered circuits over gRPC: real keys of both curves, on the processor.
#include <cuzk/jobs/v1/jobs.grpc.pb.h>
#include <cuzk/v1/proving.grpc.pb.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include "engine/circuit_work.hpp"
#include "engine/fakes.hpp"
#include "formats/snarkjs_json.hpp"
#include "formats/wtns.hpp"
#include "groth16/cpu_backend.hpp"
#include "groth16/verifier.hpp"
#include "rpc/client.hpp"
#include "rpc/grpc_server.hpp"
#include "rpc/http/metrics_text.hpp"
#include "rpc/temp_folder.hpp"

namespace cuzk::rpc::test {
namespace {

using namespace std::chrono_literals;
using engine::CircuitRequest;
using engine::JobState;
using grpc::StatusCode;
using Encoding = CircuitRequest::Encoding;

std::string data(const std::string& name) {
    return std::string(CUZK_TEST_DATA_DIR) + "/" + name;
}
std::vector<u8> bytes_of(const std::string& path) {
    const ByteSource source = ByteSource::open(path);
    return {source.bytes.begin(), source.bytes.end()};
}

class CircuitApi : public ::testing::Test {
protected:
    void start() {
        spdlog::set_level(spdlog::level::warn);
        engine::CircuitRegistry registry;
        registry.add({"one", data("bits-bn128/circuit.zkey"), data("bits-bn128/circuit.r1cs"), false});
        registry.add({"two", data("bits-bls12381/circuit.zkey"), "", false});
        engine::EngineConfig config = engine::fakes::small_config();
        config.host_budget = u64{2} << 30;
        engine_ = std::make_unique<engine::Engine>(
            config,
            engine::make_circuit_workload(std::move(registry),
                                          std::make_unique<engine::fakes::FakeWorkload>(world_)),
            std::vector<engine::DeviceSpec>{
                {engine::make_backend_device("cpu", std::make_shared<CpuBackend<Bls12_381>>(), 0,
                                             std::make_shared<CpuBackend<Bn254>>()),
                 false}});
        options_.listen = {parse_address("unix:" + folder_.file("c.sock"))};
        server_ = std::make_unique<GrpcServer>(*engine_, tokens_, options_,
                                               [this] { return metrics_page(*engine_); });
        ClientOptions to;
        to.address = server_->addresses().at(0);
        client_ = std::make_unique<Client>(to);
        const auto channel =
            grpc::CreateChannel(server_->addresses().at(0).text(), grpc::InsecureChannelCredentials());
        jobs_ = jobs::v1::Jobs::NewStub(channel);
        proving_ = v1::ProvingEngine::NewStub(channel);
    }
    void TearDown() override {
        if (engine_) engine_->stop(engine::Clock::now());
        if (server_) server_->stop(engine::Clock::now() + 5s);
    }

    static engine::JobRequest witness(const std::string& circuit, std::vector<u8> bytes,
                                      Encoding encoding = Encoding::kWtns, const std::string& id = "") {
        engine::JobRequest job;
        job.request_id = id;
        job.content = CircuitRequest{circuit, encoding, std::move(bytes)};
        return job;
    }
    static std::vector<u8> good(const char* curve) {
        return bytes_of(data(std::string("bits-") + curve + "/witness.wtns"));
    }
    grpc::Status submit(const jobs::v1::SubmitCircuitProofRequest& message) const {
        grpc::ClientContext context;
        jobs::v1::SubmitCircuitProofResponse response;
        return jobs_->SubmitCircuitProof(&context, message, &response);
    }
    template <class C>
    static void expect_valid(const CircuitOutcome& outcome, const std::string& folder) {
        ASSERT_EQ(outcome.result.state, JobState::kCompleted) << outcome.result.error;
        const auto text = [](const std::string& s) {
            return ByteSource::borrow("text", {reinterpret_cast<const u8*>(s.data()), s.size()});
        };
        const Verifier<C> verifier(read_vk_json<C>(ByteSource::open(data(folder + "/vkey.json"))));
        const auto inputs = read_public_json<C>(text(outcome.public_json));
        EXPECT_EQ(inputs, read_public_json<C>(ByteSource::open(data(folder + "/public.json"))));
        EXPECT_TRUE(verifier.verify(read_proof_json<C>(text(outcome.proof_json)), inputs));
        EXPECT_EQ(outcome.result.public_inputs.size(), 32 * inputs.size());
    }

    TempFolder folder_;
    engine::fakes::World world_;
    TokenList tokens_;
    GrpcOptions options_;
    std::unique_ptr<engine::Engine> engine_;
    std::unique_ptr<GrpcServer> server_;
    std::unique_ptr<Client> client_;
    std::unique_ptr<jobs::v1::Jobs::Stub> jobs_;
    std::unique_ptr<v1::ProvingEngine::Stub> proving_;
};

TEST_F(CircuitApi, ProvesOnBothCurves) {
    start();
    const std::string one = client_->submit_circuit(witness("one", good("bn128"))).job_id;
    const std::string two = client_->submit_circuit(witness("two", good("bls12381"))).job_id;
    const CircuitOutcome first = client_->await_circuit(one), second = client_->await_circuit(two);
    expect_valid<Bn254>(first, "bits-bn128");
    expect_valid<Bls12_381>(second, "bits-bls12381");
    EXPECT_EQ(first.result.proof.size(), 256u);
    EXPECT_EQ(second.result.proof.size(), 192u);
    EXPECT_EQ(first.result.circuit_id, "one");

    const auto wtns = good("bn128");
    const auto values = wtns_values<Bn254>(ByteSource::borrow("w", wtns));
    const auto plain = client_->submit_circuit(
        witness("one", std::vector<u8>(values.begin(), values.end()), Encoding::kValues));
    expect_valid<Bn254>(client_->await_circuit(plain.job_id), "bits-bn128");
}

TEST_F(CircuitApi, TheJobIsOneLikeAllOthers) {
    start();
    const auto ticket = client_->submit_circuit(witness("two", good("bls12381"), Encoding::kWtns, "mine"));
    EXPECT_EQ(ticket.job_id, "mine");
    std::string last;
    client_->watch("mine", [&](const JobLine& line) {
        EXPECT_EQ(line.kind, "circuit");
        EXPECT_EQ(line.circuit, "two");
        last = line.state;
        return true;
    });
    EXPECT_EQ(last, "completed");
    EXPECT_TRUE(client_->submit_circuit(witness("two", good("bls12381"), Encoding::kWtns, "mine")).joined);
    // The old interface waits for it, too, and gets the bytes; its status has the queues that its clients know.
    const engine::JobResult old = client_->await("mine");
    EXPECT_EQ(old.state, JobState::kCompleted);
    EXPECT_EQ(old.proof, client_->await_circuit("mine").result.proof);
    EXPECT_FALSE(client_->cancel("mine"));
    const ServiceStatus status = client_->status();
    EXPECT_EQ(status.completed, 1u);
    EXPECT_EQ(status.queues.size(), 4u);
    EXPECT_NE(client_->metrics_text().find("cuzk_proofs_completed{proof_kind=\"circuit\"} 1"),
              std::string::npos);

    const auto circuits = client_->circuits();
    ASSERT_EQ(circuits.size(), 2u);
    EXPECT_EQ(circuits[0].id, "one");
    EXPECT_EQ(circuits[0].curve, "bn128");
    EXPECT_TRUE(circuits[0].constraints);
    EXPECT_FALSE(circuits[0].loaded);
    EXPECT_FALSE(circuits[1].constraints);
    EXPECT_TRUE(circuits[1].loaded);
    EXPECT_EQ(circuits[1].key_digest.size(), 64u);
    EXPECT_FALSE(client_->preload("one").already_loaded);
    EXPECT_TRUE(client_->circuits()[0].loaded);
    EXPECT_TRUE(client_->evict("one").was_loaded);
}

TEST_F(CircuitApi, EachMistakeHasItsCodeAndSaysWhatItIs) {
    options_.jobs.max_timeout = 10s;
    start();
    const auto expect = [&](const jobs::v1::SubmitCircuitProofRequest& message, StatusCode code,
                            const std::string& why) {
        const grpc::Status status = submit(message);
        EXPECT_EQ(status.error_code(), code) << status.error_message();
        EXPECT_NE(status.error_message().find(why), std::string::npos) << status.error_message();
    };
    jobs::v1::SubmitCircuitProofRequest message;
    expect(message, StatusCode::NOT_FOUND, "no circuit '' is registered; there are: one, two");
    message.set_circuit_id("one");
    expect(message, StatusCode::INVALID_ARGUMENT, "one of 'wtns' and 'values'");
    message.set_values("");
    expect(message, StatusCode::INVALID_ARGUMENT, "has 0 values");
    message.set_values(std::string(33, '\1'));
    expect(message, StatusCode::INVALID_ARGUMENT, "no whole number");
    message.set_wtns("wtns");
    expect(message, StatusCode::INVALID_ARGUMENT, "witness for circuit 'one'");
    const auto other = good("bls12381");
    message.set_wtns(other.data(), other.size());
    expect(message, StatusCode::INVALID_ARGUMENT, "is over bls12381, the circuit over bn128");
    auto alien = good("bn128");
    alien[28] ^= 1;  // in the modulus: a field that nobody knows
    message.set_wtns(alien.data(), alien.size());
    expect(message, StatusCode::INVALID_ARGUMENT, "scalar field of no supported curve");
    auto high = good("bn128");
    std::fill(high.end() - 32, high.end(), u8{0xff});
    message.set_wtns(high.data(), high.size());
    expect(message, StatusCode::INVALID_ARGUMENT, "is not below the modulus");
    const auto right = good("bn128");
    message.set_wtns(right.data(), right.size());
    message.set_timeout_ms(10'001);
    expect(message, StatusCode::INVALID_ARGUMENT, "more than the 10000 that the daemon allows");
    EXPECT_TRUE(engine_->status().jobs.empty());
    message.set_timeout_ms(10'000);
    EXPECT_TRUE(submit(message).ok());

    grpc::ClientContext context;
    jobs::v1::AwaitCircuitProofRequest await;
    jobs::v1::CircuitProof proof;
    await.set_job_id("nobody");
    EXPECT_EQ(jobs_->AwaitCircuitProof(&context, await, &proof).error_code(), StatusCode::NOT_FOUND);
}

TEST_F(CircuitApi, AnUnsatisfiedWitnessIsAnAnswerThatSaysSo) {
    start();
    for (const auto& [circuit, curve, why] :
         {std::tuple{"one", "bn128", "constraint"}, {"two", "bls12381", "does not satisfy"}}) {
        auto bytes = good(curve);
        bytes[bytes.size() - 32] ^= 1;
        const auto outcome = client_->await_circuit(client_->submit_circuit(witness(circuit, bytes)).job_id);
        EXPECT_EQ(outcome.result.state, JobState::kFailed);
        EXPECT_EQ(outcome.result.error_kind, ErrorKind::kUnsatisfied);
        EXPECT_NE(outcome.result.error.find(why), std::string::npos) << outcome.result.error;
        EXPECT_TRUE(outcome.proof_json.empty());
    }
}

TEST_F(CircuitApi, LimitsHoldForThemToo) {
    options_.jobs.max_bytes_per_client = 1000;
    start();
    try {
        client_->submit_circuit(witness("one", good("bn128")));
        ADD_FAILURE() << "accepted";
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("exceed its limit of 1000"), std::string::npos) << e.what();
    }
    const auto fake = engine::fakes::content(filecoin::ProofKind::kWindowPost, "wpost-2k", 1);
    const std::string filecoin = client_->submit(fake).job_id;
    EXPECT_NE(client_->await(filecoin).state, JobState::kCompleted) << "the device proves no fakes";
    EXPECT_THROW(client_->await_circuit(filecoin), Error) << "it is no circuit's job";
}

}  // namespace
}  // namespace cuzk::rpc::test
