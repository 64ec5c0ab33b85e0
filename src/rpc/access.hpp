// Who may ask, and for how much.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace cuzk::rpc {

// Bearer tokens and the names of the clients that hold them. Immutable: share it freely.
class TokenList {
public:
    // Reads a file of lines "NAME TOKEN" (blank lines and lines from '#' aside). Throws Error(kMalformed) for a line of
    // another form, a token under 16 characters, a name or token given twice; Error(kEnvironment) if others than the owner
    // and the group can read the file.
    static TokenList load(const std::string& path);

    bool empty() const { return tokens_.empty(); }
    // The client of an "authorization" header ("Bearer TOKEN"), or null. Takes the same time whichever character differs.
    std::optional<std::string> client_of(const std::string& header) const;

private:
    struct Entry {
        std::string name, token;
    };
    std::vector<Entry> tokens_;
};

// What one client may have under way at once.
struct ClientLimits {
    u64 jobs = 0;
    u64 bytes = 0;
};

// Counts what each client has under way. Thread-safe.
class ClientQuota {
public:
    explicit ClientQuota(ClientLimits limits) : limits_(limits) {}

    // Gives back on destruction.
    class Share {
    public:
        Share(ClientQuota& quota, std::string client, u64 bytes)
            : quota_(quota), client_(std::move(client)), bytes_(bytes) {}
        ~Share() { quota_.release(client_, bytes_); }
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;

    private:
        ClientQuota& quota_;
        std::string client_;
        u64 bytes_;
    };

    // A job of `bytes`. Null, with the reason in `refusal`, if that is more than the client may have. The quota outlives the share.
    std::shared_ptr<const Share> take(const std::string& client, u64 bytes, std::string& refusal);

private:
    void release(const std::string& client, u64 bytes);

    const ClientLimits limits_;
    std::mutex mutex_;
    std::map<std::string, ClientLimits> used_;
};

}  // namespace cuzk::rpc
