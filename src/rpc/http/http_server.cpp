#include "rpc/http/http_server.hpp"

#include <fmt/format.h>
#include <httplib.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/status_json.hpp"
#include "rpc/http/metrics_text.hpp"

namespace cuzk::rpc {

extern const std::string_view kDashboardPage;  // dashboard/index.html, embedded by the build

namespace {

constexpr const char* kJson = "application/json";
constexpr std::size_t kMostIntervals = 20'000;

using httplib::Request;
using httplib::Response;

// Text from clients and files may hold any bytes; a page must not fail over them.
std::string json_text(const nlohmann::ordered_json& json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void refuse(Response& response, int code, const std::string& reason) {
    response.status = code;
    response.set_content(json_text({{"error", reason}}), kJson);
}

}  // namespace

class HttpServer::Impl {
public:
    Impl(engine::Engine& engine, const TokenList& tokens, const Address& address, bool allow_insecure)
        : engine_(engine), tokens_(tokens), address_(address) {
        if (address.kind == Address::Kind::kUnix)
            throw Error(ErrorKind::kUsage, address.text() + ": HTTP is served over TCP");
        if (!address.is_local() && tokens.empty() && !allow_insecure)
            throw Error(
                ErrorKind::kUsage,
                fmt::format(
                    "{}: is reachable from other machines, and needs token_file (or allow_insecure, in a "
                    "network where everybody may see and cancel jobs)",
                    address.text()));
        // The library's default would share the port with another process that listens on it.
        server_.set_socket_options([](socket_t fd) {
            const int on = 1;
            setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        });
        // A browser holds several connections, each of which occupies a thread while it is kept alive.
        server_.new_task_queue = [] { return new httplib::ThreadPool(16); };
        server_.set_payload_max_length(64 * 1024);
        server_.set_read_timeout(10, 0);
        server_.set_write_timeout(10, 0);
        server_.set_keep_alive_timeout(5);
        route();
        const bool bound =
            address.port == 0 ? bind_any_port() : server_.bind_to_port(address.host, address.port);
        if (!bound)
            throw Error(
                ErrorKind::kEnvironment,
                fmt::format("{}: can not be listened on: the address is in use, or not this machine's",
                            address.text()));
        thread_ = std::thread([this] { server_.listen_after_bind(); });
    }

    ~Impl() {
        // stop() has no effect on a server that has not begun to accept.
        while (!server_.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        server_.stop();
        thread_.join();
    }

    const Address& address() const { return address_; }

private:
    bool bind_any_port() {
        const int port = server_.bind_to_any_port(address_.host);
        address_.port = static_cast<u16>(std::max(port, 0));
        return port > 0;
    }

    // Registers a handler behind the token check; what it throws becomes a 500.
    template <class F>
    httplib::Server::Handler guarded(F handler) {
        return [this, handler](const Request& request, Response& response) {
            if (!tokens_.empty() && !tokens_.client_of(request.get_header_value("Authorization"))) {
                response.set_header("WWW-Authenticate", "Bearer");
                return refuse(response, 401, "a bearer token is needed");
            }
            if (!host_is_ours(request)) return refuse(response, 403, "the Host header names another machine");
            response.set_header("Cache-Control", "no-store");
            try {
                handler(request, response);
            } catch (const std::exception& error) {
                refuse(response, 500, error.what());
            }
        };
    }

    // A page of another site whose name was pointed at this machine would otherwise pass for the dashboard in a browser.
    bool host_is_ours(const Request& request) const {
        if (!address_.is_local() || !tokens_.empty()) return true;
        std::string host = request.get_header_value("Host");
        if (host.empty()) return true;
        if (const auto colon = host.rfind(':'); colon != std::string::npos && !host.ends_with(']'))
            host.resize(colon);
        if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
        return Address{Address::Kind::kTcp, host, 0, ""}.is_local();
    }

    void route() {
        server_.Get("/", [](const Request&, Response& response) {
            response.set_header("Content-Security-Policy",
                                "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
                                "connect-src 'self'; img-src data:");
            response.set_content(kDashboardPage.data(), kDashboardPage.size(), "text/html; charset=utf-8");
        });
        server_.Get("/healthz", [this](const Request&, Response& response) {
            const bool draining = engine_.status().draining;
            response.status = draining ? 503 : 200;
            response.set_content(draining ? "draining\n" : "ok\n", "text/plain");
        });
        server_.Get("/status", guarded([this](const Request&, Response& response) {
                        // Pages of others may read it where no token guards it, as they always could.
                        if (tokens_.empty()) response.set_header("Access-Control-Allow-Origin", "*");
                        response.set_content(json_text(engine::status_json(engine_.status())), kJson);
                    }));
        server_.Get("/metrics", guarded([this](const Request&, Response& response) {
                        response.set_content(metrics_page(engine_),
                                             "text/plain; version=0.0.4; charset=utf-8");
                    }));
        server_.Get("/trace", guarded([this](const Request&, Response& response) {
                        response.set_header("Content-Disposition",
                                            "attachment; filename=\"cuzk-trace.json\"");
                        response.set_content(engine_.timeline().chrome_trace(), kJson);
                    }));
        server_.Get("/api/jobs", guarded([this](const Request&, Response& response) {
                        response.set_content(json_text(engine::jobs_json(engine_.status())), kJson);
                    }));
        server_.Get(
            "/api/timeline", guarded([this](const Request& request, Response& response) {
                i64 since = 0;
                const std::string text = request.get_param_value("since_us");
                const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), since);
                if (!text.empty() && (error != std::errc() || end != text.data() + text.size()))
                    return refuse(response, 400, "since_us is no whole number");
                response.set_content(
                    json_text(engine::timeline_json(engine_.timeline(), since, kMostIntervals)), kJson);
            }));
        server_.Post(R"(/api/jobs/(.+)/cancel)", guarded([this](const Request& request, Response& response) {
                         if (!request.has_header("X-Cuzk-Request"))
                             return refuse(response, 403, "the header X-Cuzk-Request is missing");
                         const std::string id = request.matches[1];
                         if (!engine_.job(id)) return refuse(response, 404, "there is no job '" + id + "'");
                         response.set_content(json_text({{"was_running", engine_.cancel(id)}}), kJson);
                     }));
        server_.set_error_handler([](const Request& request, Response& response) {
            if (response.body.empty()) refuse(response, response.status, "nothing is at " + request.path);
        });
    }

    engine::Engine& engine_;
    const TokenList& tokens_;
    Address address_;
    httplib::Server server_;
    std::thread thread_;
};

HttpServer::HttpServer(engine::Engine& engine, const TokenList& tokens, const Address& address,
                       bool allow_insecure)
    : impl_(std::make_unique<Impl>(engine, tokens, address, allow_insecure)) {}
HttpServer::~HttpServer() = default;
const Address& HttpServer::address() const {
    return impl_->address();
}

}  // namespace cuzk::rpc
