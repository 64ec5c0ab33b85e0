// How a command reaches the daemon.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "rpc/client.hpp"

namespace cuzk::cli {

struct ConnectionOptions {
    std::string address = "127.0.0.1:9820";
    std::string token_file, tls_ca;

    // --addr (CUZK_ADDR), --token-file (or the token itself in CUZK_TOKEN), --tls-ca. An address "https://HOST:PORT" means TLS.
    void add_to(CLI::App& command);
    rpc::ClientOptions resolved() const;
    // The token alone, for HTTP; empty if there is none.
    std::string token() const;
};

}  // namespace cuzk::cli
