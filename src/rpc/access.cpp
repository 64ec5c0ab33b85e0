#include "rpc/access.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/stat.h>

#include <algorithm>
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

std::optional<std::string> ByteQuota::refusal(const std::string& client, u64 bytes) {
    const std::lock_guard lock(mutex_);
    const auto over = [&](u64 used) { return bytes > limit_ || used > limit_ - bytes; };
    const auto it = uses_.find(client);
    if (it != uses_.end() && over(it->second.bytes)) sweep(it->second);
    const u64 used = it == uses_.end() ? 0 : it->second.bytes;
    if (!over(used)) return std::nullopt;
    return fmt::format("client {} has unfinished requests of {} bytes: {} more would exceed its limit of {}",
                       client, used, bytes, limit_);
}

void ByteQuota::add(const std::string& client, const std::string& job_id, u64 bytes) {
    const std::lock_guard lock(mutex_);
    Use& use = uses_[client];
    if (!use.jobs.emplace(job_id, bytes).second) return;
    use.bytes += bytes;
    if (use.jobs.size() < use.sweep_at) return;
    sweep(use);
    use.sweep_at = std::max<std::size_t>(64, 2 * use.jobs.size());
}

void ByteQuota::sweep(Use& use) {
    for (auto it = use.jobs.begin(); it != use.jobs.end();) {
        if (is_finished_(it->first)) {
            use.bytes -= it->second;
            it = use.jobs.erase(it);
        } else {
            ++it;
        }
    }
}

}  // namespace cuzk::rpc
