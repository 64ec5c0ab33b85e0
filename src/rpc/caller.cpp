#include "rpc/caller.hpp"

#include <new>

#include "engine/types.hpp"

namespace cuzk::rpc {

namespace {

// "ipv4:10.0.0.7:51234" -> "10.0.0.7"; "ipv6:%5B::1%5D:51234" keeps its brackets' spelling.
std::string address_of(const std::string& peer) {
    const auto scheme = peer.find(':');
    const auto port = peer.rfind(':');
    if (scheme == std::string::npos || port <= scheme) return peer;
    return peer.substr(scheme + 1, port - scheme - 1);
}

grpc::Status check_token(const std::multimap<grpc::string_ref, grpc::string_ref>& metadata,
                         const TokenList& tokens, std::string& client) {
    const auto [begin, end] = metadata.equal_range("authorization");
    for (auto it = begin; it != end; ++it) {
        if (const auto name = tokens.client_of(std::string(it->second.data(), it->second.size()))) {
            client = *name;
            return grpc::Status::OK;
        }
    }
    return {grpc::StatusCode::UNAUTHENTICATED, begin == end
                                                   ? "a bearer token is needed: 'authorization: Bearer TOKEN'"
                                                   : "the bearer token is not known"};
}

}  // namespace

grpc::Status identify(const grpc::ServerContext& context, const TokenList& tokens, std::string& client) {
    const std::string peer = context.peer();
    if (peer.starts_with("unix:")) {
        client = "local";
        return grpc::Status::OK;
    }
    if (tokens.empty()) {
        client = address_of(peer);
        return grpc::Status::OK;
    }
    return check_token(context.client_metadata(), tokens, client);
}

grpc::Status TokenGate::Process(const InputMetadata& metadata, grpc::AuthContext*, OutputMetadata*,
                                OutputMetadata*) {
    std::string client;
    return tokens_.empty() ? grpc::Status::OK : check_token(metadata, tokens_, client);
}

grpc::Status status_of_current_exception() {
    try {
        throw;
    } catch (const engine::RefusedError& error) {
        switch (error.reason()) {
            case engine::Refusal::kDraining: return {grpc::StatusCode::UNAVAILABLE, error.what()};
            case engine::Refusal::kQueueFull:
            case engine::Refusal::kClientLimit: return {grpc::StatusCode::RESOURCE_EXHAUSTED, error.what()};
            case engine::Refusal::kJournal: break;
        }
        return {grpc::StatusCode::INTERNAL, error.what()};
    } catch (const Error& error) {
        const bool theirs = error.kind() == ErrorKind::kMalformed;
        return {theirs ? grpc::StatusCode::INVALID_ARGUMENT : grpc::StatusCode::INTERNAL, error.what()};
    } catch (const std::bad_alloc&) {
        return {grpc::StatusCode::RESOURCE_EXHAUSTED, "out of memory"};
    } catch (const std::exception& error) {
        return {grpc::StatusCode::INTERNAL, error.what()};
    }
}

}  // namespace cuzk::rpc
