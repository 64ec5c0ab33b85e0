// Accepted jobs on disk, so that a killed process loses none.
//
// The folder holds `journal.log`, one record a line, and `spool/`, one file of content a job that has not ended. A line is 16
// hexadecimal digits of the SHA-256 of what follows them, a space, and a JSON object. A torn last line is what a crash leaves
// and is dropped; any other damaged line is reported and skipped.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/faults.hpp"
#include "engine/request_content.hpp"
#include "engine/types.hpp"

namespace cuzk::engine {

struct JournalJob {
    std::string job_id, request_id, client;
    ContentDigest digest{};
    JobKind kind = JobKind::kPorepSealCommit;
    std::string circuit_id;  // of registered circuits; else empty
    Priority priority = Priority::kNormal;
    Milliseconds timeout{0};
};

// A job of an earlier run: ended (`result`), to be taken up again (`request`), or lost to damage (`problem` says how).
struct RestoredJob {
    JournalJob job;
    std::optional<JobResult> result;
    std::optional<JobContent> request;
    std::string problem;
};

// Thread-safe.
class Journal {
public:
    // Locks the folder against other processes, reads what is there and compacts it. Error(kEnvironment).
    Journal(std::string folder, FaultHook* faults);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    // What the earlier run left, in the order of acceptance; once.
    std::vector<RestoredJob> take_restored();
    // Damaged lines that were skipped, a torn last one not counted.
    u64 damaged_records() const { return damaged_; }

    // On disk when it returns. Error(kEnvironment) if that is impossible; then nothing of the job is kept.
    void accept(const JournalJob& job, const JobContent& request);
    // The job ended; its result is kept until forget(). Not synced: the worst is that the job is done again. False if it
    // could not be written.
    bool end(const JobResult& result);
    // The result is no longer kept.
    void forget(const std::string& job_id);

private:
    struct Lines {
        u64 order = 0;
        std::string accepted, ended;
    };

    std::string spool_path(const std::string& job_id) const;
    void read();
    void restore(const std::string& accepted_line, const std::string& ended_line);
    void remove_orphans() const;
    void append(const std::string& line, bool sync);
    void compact();
    void compact_if_large();
    [[noreturn]] void fail(const std::string& path, const char* what) const;

    const std::string folder_;
    const std::string log_path_;
    FaultHook* const faults_;
    int lock_fd_ = -1;
    u64 damaged_ = 0;
    std::vector<RestoredJob> restored_;

    std::mutex mutex_;
    int fd_ = -1;
    u64 size_ = 0;
    u64 next_order_ = 0;
    u64 live_bytes_ = 0;
    std::map<std::string, Lines> live_;
};

}  // namespace cuzk::engine
