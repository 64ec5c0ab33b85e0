#include "rpc/access.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "base/error.hpp"

namespace cuzk::rpc {

TokenList TokenList::load(const std::string& path) {
    constexpr std::size_t kShortestToken = 16;
    struct stat info {};
    std::ifstream in(path);
    if (!in || stat(path.c_str(), &info) != 0)
        throw Error(ErrorKind::kEnvironment, path + ": the tokens can not be read");
    if ((info.st_mode & S_IROTH) != 0)
        throw Error(ErrorKind::kEnvironment,
                    path + ": everybody on this machine can read the tokens: chmod o-r");

    TokenList list;
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        const auto fail = [&](const std::string& reason) {
            throw Error(ErrorKind::kMalformed, fmt::format("{}:{}: {}", path, number, reason));
        };
        std::istringstream words(line);
        Entry entry;
        std::string more;
        if (!(words >> entry.name) || entry.name.starts_with('#')) continue;
        if (!(words >> entry.token) || words >> more) fail("the form of a line is NAME TOKEN");
        if (entry.token.size() < kShortestToken)
            fail(fmt::format("a token has at least {} characters", kShortestToken));
        for (const Entry& other : list.tokens_) {
            if (other.name == entry.name) fail("the name '" + entry.name + "' is given twice");
            if (other.token == entry.token) fail("two names have the same token");
        }
        list.tokens_.push_back(std::move(entry));
    }
    if (list.tokens_.empty()) throw Error(ErrorKind::kMalformed, path + ": there is no token in it");
    return list;
}

std::optional<std::string> TokenList::client_of(const std::string& header) const {
    constexpr std::string_view kScheme = "Bearer ";
    if (!header.starts_with(kScheme)) return std::nullopt;
    const std::string_view token = std::string_view(header).substr(kScheme.size());
    std::optional<std::string> found;
    for (const Entry& entry : tokens_)
        if (entry.token.size() == token.size() &&
            CRYPTO_memcmp(entry.token.data(), token.data(), token.size()) == 0)
            found = entry.name;
    return found;
}

std::shared_ptr<const ClientQuota::Share> ClientQuota::take(const std::string& client, u64 bytes,
                                                            std::string& refusal) {
    const std::lock_guard lock(mutex_);
    const auto it = used_.find(client);
    const ClientLimits used = it == used_.end() ? ClientLimits{} : it->second;
    if (used.jobs >= limits_.jobs) {
        refusal = fmt::format("client {} has {} unfinished jobs, which is its limit", client, used.jobs);
        return nullptr;
    }
    if (bytes > limits_.bytes || used.bytes > limits_.bytes - bytes) {
        refusal =
            fmt::format("client {} has requests of {} bytes under way: {} more would exceed its limit of {}",
                        client, used.bytes, bytes, limits_.bytes);
        return nullptr;
    }
    auto share = std::make_shared<const Share>(*this, client, bytes);
    used_[client] = {used.jobs + 1, used.bytes + bytes};
    return share;
}

void ClientQuota::release(const std::string& client, u64 bytes) {
    const std::lock_guard lock(mutex_);
    const auto it = used_.find(client);
    if (it == used_.end()) return;
    it->second.jobs -= 1;
    it->second.bytes -= bytes;
    if (it->second.jobs == 0) used_.erase(it);
}

}  // namespace cuzk::rpc
