// The gRPC listeners of the daemon.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "rpc/access.hpp"
#include "rpc/job_limits.hpp"
#include "rpc/listen.hpp"

namespace cuzk::rpc {

struct GrpcOptions {
    std::vector<Address> listen;
    std::string tls_certificate, tls_key;  // paths of PEM files; empty: no TLS. Unix sockets never speak TLS.
    bool allow_insecure = false;           // TCP beyond loopback without TLS and tokens
    u64 max_message_bytes = u64{256} << 20;
    JobLimits jobs;
};

// cuzk.v1.ProvingEngine, cuzk.jobs.v1.Jobs, health and reflection. Serves from construction to stop().
class GrpcServer {
public:
    // Throws Error(kUsage) for an address that needs TLS and tokens and has not both, Error(kEnvironment) for one that can not be
    // listened on. The engine and the tokens outlive the server.
    GrpcServer(engine::Engine& engine, const TokenList& tokens, const GrpcOptions& options,
               std::function<std::string()> metrics_text);
    ~GrpcServer();
    GrpcServer(const GrpcServer&) = delete;
    GrpcServer& operator=(const GrpcServer&) = delete;

    // Where it listens: a port 0 has become the real one.
    const std::vector<Address>& addresses() const;
    // Says through the health service that no new jobs are taken.
    void set_serving(bool serving);
    // Takes no new calls, waits until `deadline` for those under way, then cuts them off. Idempotent.
    void stop(engine::TimePoint deadline);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace cuzk::rpc
