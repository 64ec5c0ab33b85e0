// Who may ask, and for how much.
#pragma once

#include <functional>
#include <map>
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

// Holds the requests of each client's unfinished jobs to a number of bytes (the engine limits their count). Thread-safe.
class ByteQuota {
public:
    using IsFinished = std::function<bool(const std::string& job_id)>;

    // `is_finished` says whether a job has ended or is not known any more; it is asked when a limit seems to be reached.
    ByteQuota(u64 limit, IsFinished is_finished) : limit_(limit), is_finished_(std::move(is_finished)) {}

    // Why a job of `bytes` is too much for the client now, or nothing.
    std::optional<std::string> refusal(const std::string& client, u64 bytes);
    // Counts an accepted job; once, however often it is told.
    void add(const std::string& client, const std::string& job_id, u64 bytes);

private:
    struct Use {
        std::map<std::string, u64> jobs;  // bytes by id
        u64 bytes = 0;
        std::size_t sweep_at = 64;  // number of jobs that makes a sweep worth while
    };
    void sweep(Use& use);

    const u64 limit_;
    const IsFinished is_finished_;
    std::mutex mutex_;
    std::map<std::string, Use> uses_;
};

}  // namespace cuzk::rpc
