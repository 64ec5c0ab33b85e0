#include "rpc/grpc_server.hpp"

#include <fmt/format.h>
#include <grpc/grpc.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <unistd.h>

#include <mutex>

#include "base/byte_source.hpp"
#include "rpc/caller.hpp"
#include "rpc/jobs_service.hpp"
#include "rpc/proving_service.hpp"

namespace cuzk::rpc {

namespace {

// Settings of the gRPC library, once a process.
void enable_standard_services() {
    static std::once_flag once;
    std::call_once(once, [] {
        // Held for the life of the process: when its last user is gone the library waits ten seconds for what calls with
        // oversized messages left behind in it, and the daemon would end that much later.
        grpc_init();
        grpc::EnableDefaultHealthCheckService(true);
        grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    });
}

std::string file_text(const std::string& path) {
    const ByteSource source = ByteSource::open(path);
    return {reinterpret_cast<const char*>(source.bytes.data()), source.bytes.size()};
}

std::shared_ptr<grpc::ServerCredentials> tcp_credentials(const GrpcOptions& options,
                                                         const TokenList& tokens) {
    if (options.tls_certificate.empty()) return grpc::InsecureServerCredentials();
    grpc::SslServerCredentialsOptions tls;
    tls.pem_key_cert_pairs.push_back({file_text(options.tls_key), file_text(options.tls_certificate)});
    auto credentials = grpc::SslServerCredentials(tls);
    if (credentials) credentials->SetAuthMetadataProcessor(std::make_shared<TokenGate>(tokens));
    return credentials;
}

void check_exposure(const Address& address, const GrpcOptions& options, const TokenList& tokens) {
    if (address.is_local() || options.allow_insecure) return;
    if (!options.tls_certificate.empty() && !tokens.empty()) return;
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{}: is reachable from other machines, and needs tls_certificate, tls_key and token_file "
                    "(or allow_insecure, in a network where everybody may ask for proofs)",
                    address.text()));
}

}  // namespace

class GrpcServer::Impl {
public:
    Impl(engine::Engine& engine, const TokenList& tokens, const GrpcOptions& options,
         std::function<std::string()> metrics_text)
        : calls_(engine, options.jobs),
          proving_(engine, tokens, calls_, std::move(metrics_text)),
          jobs_(engine, tokens, calls_),
          addresses_(options.listen) {
        enable_standard_services();
        for (const Address& address : addresses_) check_exposure(address, options, tokens);
        for (const Address& address : addresses_)
            if (address.kind == Address::Kind::kUnix) prepare_socket(address.path);

        grpc::ServerBuilder builder;
        std::vector<int> ports(addresses_.size(), 0);
        for (std::size_t i = 0; i < addresses_.size(); ++i) {
            const bool tcp = addresses_[i].kind == Address::Kind::kTcp;
            builder.AddListeningPort(
                addresses_[i].text(),
                tcp ? tcp_credentials(options, tokens) : grpc::InsecureServerCredentials(), &ports[i]);
        }
        builder.RegisterService(&proving_);
        builder.RegisterService(&jobs_);
        const auto limit = static_cast<int>(options.max_message_bytes);
        builder.SetMaxReceiveMessageSize(limit);
        builder.SetMaxSendMessageSize(limit);
        // Two daemons on one port would share its calls without either knowing.
        builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
        // A client that vanished without a word is noticed after two minutes.
        builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 60'000);
        builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 60'000);
        builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5'000);
        server_ = builder.BuildAndStart();
        for (std::size_t i = 0; i < addresses_.size(); ++i) {
            Address& address = addresses_[i];
            if (!server_ || ports[i] == 0)
                throw Error(
                    ErrorKind::kEnvironment,
                    fmt::format(
                        "{}: can not be listened on: the address is in use or not this machine's, or the "
                        "certificate does not fit its key",
                        address.text()));
            if (address.kind == Address::Kind::kTcp) address.port = static_cast<u16>(ports[i]);
        }
    }

    ~Impl() { stop(engine::Clock::now()); }

    const std::vector<Address>& addresses() const { return addresses_; }

    void set_serving(bool serving) {
        if (auto* health = server_->GetHealthCheckService()) health->SetServingStatus(serving);
    }

    void stop(engine::TimePoint deadline) {
        const std::lock_guard lock(stopping_);
        if (!server_) return;
        const auto left = std::max(engine::Clock::duration::zero(), deadline - engine::Clock::now());
        server_->Shutdown(std::chrono::system_clock::now() +
                          std::chrono::duration_cast<std::chrono::system_clock::duration>(left));
        server_->Wait();
        server_.reset();
        for (const Address& address : addresses_)
            if (address.kind == Address::Kind::kUnix) unlink(address.path.c_str());
    }

private:
    JobCalls calls_;
    ProvingService proving_;
    JobsService jobs_;
    std::vector<Address> addresses_;
    std::mutex stopping_;
    std::unique_ptr<grpc::Server> server_;
};

GrpcServer::GrpcServer(engine::Engine& engine, const TokenList& tokens, const GrpcOptions& options,
                       std::function<std::string()> metrics_text)
    : impl_(std::make_unique<Impl>(engine, tokens, options, std::move(metrics_text))) {}
GrpcServer::~GrpcServer() = default;
const std::vector<Address>& GrpcServer::addresses() const {
    return impl_->addresses();
}
void GrpcServer::set_serving(bool serving) {
    impl_->set_serving(serving);
}
void GrpcServer::stop(engine::TimePoint deadline) {
    impl_->stop(deadline);
}

}  // namespace cuzk::rpc
