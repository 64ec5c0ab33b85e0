#include "rpc/http/http_client.hpp"

#include <fmt/format.h>
#include <httplib.h>

#include "base/error.hpp"

namespace cuzk::rpc {

std::string http_get(const Address& address, const std::string& path, const std::string& token) {
    httplib::Client client(address.host, address.port);
    client.set_connection_timeout(5, 0);
    client.set_read_timeout(10, 0);
    httplib::Headers headers;
    if (!token.empty()) headers.emplace("Authorization", "Bearer " + token);
    const auto result = client.Get(path, headers);
    if (!result)
        throw Error(ErrorKind::kEnvironment, fmt::format("http://{}{}: no daemon answers: {}", address.text(),
                                                         path, httplib::to_string(result.error())));
    if (result->status != 200)
        throw Error(ErrorKind::kEnvironment, fmt::format("http://{}{}: HTTP {}: {}", address.text(), path,
                                                         result->status, result->body));
    return result->body;
}

}  // namespace cuzk::rpc
