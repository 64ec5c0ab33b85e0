// A server on an engine of fakes, reached over a Unix socket.
#pragma once

#include <spdlog/spdlog.h>

#include "engine/fakes.hpp"
#include "rpc/access.hpp"
#include "rpc/client.hpp"
#include "rpc/grpc_server.hpp"
#include "rpc/http/metrics_text.hpp"
#include "rpc/temp_folder.hpp"

namespace cuzk::rpc::test {

namespace fakes = engine::fakes;
using namespace std::chrono_literals;

class ServerTest : public ::testing::Test {
protected:
    // Starts the server; a test that wants other settings changes them before.
    void start() {
        spdlog::set_level(spdlog::level::warn);
        engine_ = fakes::make_engine(world_, config_);
        if (options_.listen.empty()) options_.listen = {parse_address("unix:" + folder_.file("c.sock"))};
        server_ = std::make_unique<GrpcServer>(*engine_, tokens_, options_,
                                               [this] { return metrics_page(*engine_); });
    }
    void TearDown() override {
        if (engine_) engine_->stop(engine::Clock::now());
        if (server_) server_->stop(engine::Clock::now() + 5s);
    }

    ClientOptions client_options(std::size_t address = 0) const {
        ClientOptions options;
        options.address = server_->addresses().at(address);
        return options;
    }

    // A fake request: the number of its partitions stands in registered_proof, its circuit in comm_r_old.
    static filecoin::ProofRequest request(const std::string& id, u32 partitions = 2, u64 sector = 1,
                                          filecoin::ProofKind kind = filecoin::ProofKind::kWindowPost) {
        filecoin::ProofRequest r = fakes::content(kind, "wpost-2k", partitions, sector);
        r.request_id = id;
        return r;
    }

    TempFolder folder_;
    fakes::World world_;
    engine::EngineConfig config_ = fakes::small_config();
    TokenList tokens_;
    GrpcOptions options_;
    std::unique_ptr<engine::Engine> engine_;
    std::unique_ptr<GrpcServer> server_;
};

}  // namespace cuzk::rpc::test
