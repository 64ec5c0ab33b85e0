#include "cli/daemon/connection.hpp"

#include <cstdlib>
#include <fstream>

#include "base/error.hpp"

namespace cuzk::cli {

void ConnectionOptions::add_to(CLI::App& command) {
    command.add_option("--addr", address, "The daemon: HOST:PORT, https://HOST:PORT or unix:///PATH")
        ->envname("CUZK_ADDR")
        ->capture_default_str();
    command.add_option("--token-file", token_file, "File with the bearer token (or set CUZK_TOKEN)");
    command.add_option("--tls-ca", tls_ca, "PEM file of the certificates to trust (default: the system's)");
}

std::string ConnectionOptions::token() const {
    if (token_file.empty()) {
        const char* from_environment = std::getenv("CUZK_TOKEN");
        return from_environment == nullptr ? "" : from_environment;
    }
    std::ifstream in(token_file);
    std::string word, token;
    while (in >> word) token = word;  // the token alone, or a line "NAME TOKEN"
    if (token.empty()) throw Error(ErrorKind::kEnvironment, token_file + ": there is no token in it");
    return token;
}

rpc::ClientOptions ConnectionOptions::resolved() const {
    rpc::ClientOptions options;
    options.address = rpc::parse_address(address);
    options.tls = address.starts_with("https://") || !tls_ca.empty();
    options.tls_ca = tls_ca;
    options.token = token();
    return options;
}

}  // namespace cuzk::cli
