// The daemon's HTTP side: what people and monitoring look at.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/engine.hpp"
#include "rpc/access.hpp"
#include "rpc/listen.hpp"

namespace cuzk::rpc {

// GET /            the dashboard
// GET /status      JSON, field names of earlier daemons
// GET /metrics     Prometheus text
// GET /trace       Trace Event JSON of the last minutes, for Perfetto
// GET /healthz     200 "ok", or 503 "draining"
// GET /api/jobs, /api/timeline?since_us=N
// POST /api/jobs/ID/cancel, with the header "X-Cuzk-Request: 1", which pages of other sites can not send
//
// Where there are tokens, everything but the dashboard's page itself and /healthz needs one. Serves on threads of its own from
// construction to destruction.
class HttpServer {
public:
    // Throws Error(kUsage) for an address beyond loopback where there is no token and `allow_insecure` is not set, and
    // Error(kEnvironment) for one that can not be listened on. The engine and the tokens outlive the server.
    HttpServer(engine::Engine& engine, const TokenList& tokens, const Address& address, bool allow_insecure);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    // Where it listens: a port 0 has become the real one.
    const Address& address() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace cuzk::rpc
