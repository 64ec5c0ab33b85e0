// Who is calling, and what an error of the engine is on the wire. Part of rpc's inside: it includes gRPC's headers.
#pragma once

#include <grpcpp/grpcpp.h>

#include <string>

#include "rpc/access.hpp"

namespace cuzk::rpc {

// The caller's name for limits and status: that of its token, else its address without the port; "local" on a Unix socket,
// whose permissions are the authentication. Where there are tokens, callers on TCP need one: UNAUTHENTICATED.
grpc::Status identify(const grpc::ServerContext& context, const TokenList& tokens, std::string& client);

// What the exception under way is on the wire: a refused job UNAVAILABLE (draining) or RESOURCE_EXHAUSTED, malformed input
// INVALID_ARGUMENT, everything else INTERNAL, as clients of the API expect.
grpc::Status status_of_current_exception();

// Turns callers without a token away before their message is read: for connections with TLS, whose credentials ask it. The list
// outlives it.
class TokenGate final : public grpc::AuthMetadataProcessor {
public:
    explicit TokenGate(const TokenList& tokens) : tokens_(tokens) {}
    bool IsBlocking() const override { return false; }
    grpc::Status Process(const InputMetadata& metadata, grpc::AuthContext* context, OutputMetadata* consumed,
                         OutputMetadata* response) override;

private:
    const TokenList& tokens_;
};

// The server owns the message and drops it after the call; a call that waits for minutes must not hold 51 MB of a request that
// the engine has taken over. The message is not a const object: only the handler's signature says so.
template <class Message>
Message& consumable(const Message* message) {
    return *const_cast<Message*>(message);
}

// Answers one call: identifies the caller, runs handler(client), and maps what it throws.
template <class F>
grpc::Status answer(const grpc::ServerContext& context, const TokenList& tokens, F&& handler) {
    try {
        std::string client;
        grpc::Status status = identify(context, tokens, client);
        return status.ok() ? handler(client) : status;
    } catch (...) {
        return status_of_current_exception();
    }
}

}  // namespace cuzk::rpc
