#include "engine/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/output_file.hpp"
#include "formats/digest.hpp"

namespace cuzk::engine {

using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kCheckDigits = 16;
constexpr u64 kCompactAbove = u64{1} << 20;

std::span<const u8> bytes_of(std::string_view text) {
    return {reinterpret_cast<const u8*>(text.data()), text.size()};
}

std::string sealed_line(const Json& record) {
    // Messages may quote foreign bytes; ids are valid UTF-8 (Engine::submit checks).
    const std::string text = record.dump(-1, ' ', false, Json::error_handler_t::replace);
    return hex_text(sha256(bytes_of(text))).substr(0, kCheckDigits) + " " + text + "\n";
}

// Null if the line is damaged.
Json opened_line(std::string_view line) {
    if (line.size() < kCheckDigits + 2) return nullptr;
    const std::string_view text = line.substr(kCheckDigits + 1);
    if (hex_text(sha256(bytes_of(text))).compare(0, kCheckDigits, line.substr(0, kCheckDigits)) != 0)
        return nullptr;
    return Json::parse(text, nullptr, false);
}

std::vector<u8> bytes_of_hex(const std::string& hex) {
    std::vector<u8> out(hex.size() / 2);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<u8>(std::stoul(hex.substr(2 * i, 2), nullptr, 16));
    return out;
}

// A new or renamed file is safe only once its folder is.
bool sync_folder(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return false;
    const bool synced = fsync(fd) == 0;
    close(fd);
    return synced;
}

bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = write(fd, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

}  // namespace

void Journal::fail(const std::string& path, const char* what) const {
    throw Error(ErrorKind::kEnvironment, path + ": " + what + ": " + std::strerror(errno));
}

Journal::Journal(std::string folder, FaultHook* faults)
    : folder_(std::move(folder)), log_path_(folder_ + "/journal.log"), faults_(faults) {
    std::error_code failure;
    fs::create_directories(folder_ + "/spool", failure);
    if (failure) throw Error(ErrorKind::kEnvironment, folder_ + ": " + failure.message());
    const std::string lock_path = folder_ + "/journal.lock";
    lock_fd_ = open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock_fd_ < 0) fail(lock_path, "cannot be opened");
    try {
        if (flock(lock_fd_, LOCK_EX | LOCK_NB) != 0)
            throw Error(ErrorKind::kEnvironment, folder_ + ": the journal is in use by another process");
        read();
        remove_orphans();
        compact();
    } catch (...) {
        if (fd_ >= 0) close(fd_);
        close(lock_fd_);
        throw;
    }
}

Journal::~Journal() {
    if (fd_ >= 0) close(fd_);
    close(lock_fd_);
}

// Any string may be a job's id; a file name may not be any string.
std::string Journal::spool_path(const std::string& job_id) const {
    return folder_ + "/spool/" + hex_text(sha256(bytes_of(job_id))).substr(0, 32) + ".request";
}

void Journal::read() {
    if (!fs::exists(log_path_)) return;
    const ByteSource source = ByteSource::open(log_path_);
    std::string_view text(reinterpret_cast<const char*>(source.bytes.data()), source.bytes.size());
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const bool torn = end == std::string_view::npos;
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(torn ? text.size() : end + 1);
        const Json record = torn ? Json(nullptr) : opened_line(line);
        if (!record.is_object()) {
            if (!torn) ++damaged_;
            continue;
        }
        const std::string id = record.value("job", "");
        const std::string event = record.value("event", "");
        if (event == "accepted") live_[id] = {next_order_++, std::string(line) + "\n", ""};
        if (event == "ended" && live_.contains(id)) live_[id].ended = std::string(line) + "\n";
        if (event == "forgotten") live_.erase(id);
    }
    std::vector<const Lines*> order;
    for (const auto& [id, lines] : live_) order.push_back(&lines);
    std::sort(order.begin(), order.end(), [](const Lines* a, const Lines* b) { return a->order < b->order; });
    for (const Lines* lines : order) restore(lines->accepted, lines->ended);
}

void Journal::restore(const std::string& accepted_line, const std::string& ended_line) {
    const auto body = [](const std::string& line) {
        return opened_line(std::string_view(line).substr(0, line.size() - 1));
    };
    const Json accepted = body(accepted_line);
    RestoredJob out;
    out.job.job_id = accepted.value("job", "");
    out.job.request_id = accepted.value("request", "");
    out.job.client = accepted.value("client", "");
    out.job.kind =
        static_cast<JobKind>(std::clamp(accepted.value("kind", 1), 1, static_cast<int>(JobKind::kCircuit)));
    out.job.circuit_id = accepted.value("circuit", "");
    out.job.priority = effective_priority(accepted.value("priority", 0u), out.job.kind);
    out.job.timeout = Milliseconds(accepted.value("timeout_ms", i64{0}));
    const std::vector<u8> digest = bytes_of_hex(accepted.value("digest", ""));
    if (digest.size() == out.job.digest.size())
        std::copy(digest.begin(), digest.end(), out.job.digest.begin());

    if (!ended_line.empty()) {
        const Json ended = body(ended_line);
        JobResult result;
        result.job_id = out.job.job_id;
        result.state = static_cast<JobState>(ended.value("state", static_cast<int>(JobState::kFailed)));
        result.circuit_id = ended.value("circuit", "");
        result.proof = bytes_of_hex(ended.value("proof", ""));
        result.public_inputs = bytes_of_hex(ended.value("public", ""));
        result.error = ended.value("error", "");
        result.error_kind = static_cast<ErrorKind>(ended.value("error_kind", 0));
        const auto timing = [&](const char* key) { return ended.value(key, u64{0}); };
        result.timings = {timing("queue_wait"), timing("key_load"), timing("synthesis"),
                          timing("gpu_compute"), timing("total")};
        out.result = std::move(result);
    } else {
        try {
            out.request = read_content(ByteSource::open(spool_path(out.job.job_id)));
            if (content_digest(*out.request) != out.job.digest)
                throw Error(ErrorKind::kMalformed, "its content is not what was accepted");
        } catch (const Error& e) {
            out.request.reset();
            out.problem = "after a restart the request could not be read back: " + std::string(e.what());
        }
    }
    restored_.push_back(std::move(out));
}

// Content whose job was never recorded, or has ended.
void Journal::remove_orphans() const {
    std::set<std::string> needed;
    for (const RestoredJob& restored : restored_)
        if (!restored.result) needed.insert(fs::path(spool_path(restored.job.job_id)).filename());
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(folder_ + "/spool", failure))
        if (!needed.contains(entry.path().filename())) fs::remove(entry.path(), failure);
}

std::vector<RestoredJob> Journal::take_restored() {
    return std::move(restored_);
}

void Journal::append(const std::string& line, bool sync) {
    if (fd_ < 0) throw Error(ErrorKind::kEnvironment, log_path_ + ": is not open since an earlier failure");
    if (write_all(fd_, line) && (!sync || fdatasync(fd_) == 0)) {
        size_ += line.size();
        return;
    }
    const int reason = errno;
    // Half a line must not stay in front of the next one.
    if (ftruncate(fd_, static_cast<off_t>(size_)) != 0) {
        close(fd_);
        fd_ = -1;
    }
    errno = reason;
    fail(log_path_, "cannot be written");
}

void Journal::compact() {
    std::vector<const Lines*> order;
    for (const auto& [id, lines] : live_) order.push_back(&lines);
    std::sort(order.begin(), order.end(), [](const Lines* a, const Lines* b) { return a->order < b->order; });
    OutputFile file(log_path_);
    for (const Lines* lines : order) {
        file.write(lines->accepted);
        file.write(lines->ended);
    }
    const u64 size = file.position();
    file.commit();
    if (!sync_folder(folder_)) fail(folder_, "cannot be synced");
    if (fd_ >= 0) close(fd_);
    fd_ = open(log_path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd_ < 0) fail(log_path_, "cannot be opened");
    size_ = live_bytes_ = size;
}

void Journal::compact_if_large() {
    if (size_ < kCompactAbove || size_ < 4 * live_bytes_) return;
    try {
        compact();
    } catch (const Error&) {  // the long file is as good; the next record tries again
    }
}

void Journal::accept(const JournalJob& job, const JobContent& request) {
    if (faults_ != nullptr) faults_->at(FaultPoint::kJournalWrite, job.job_id, -1, -1);
    const std::string spool = spool_path(job.job_id);
    try {
        write_content(request, spool);
        if (!sync_folder(folder_ + "/spool")) fail(folder_ + "/spool", "cannot be synced");
        const std::string line = sealed_line({{"event", "accepted"},
                                              {"job", job.job_id},
                                              {"request", job.request_id},
                                              {"client", job.client},
                                              {"digest", hex_text(job.digest)},
                                              {"kind", static_cast<int>(job.kind)},
                                              {"circuit", job.circuit_id},
                                              {"priority", static_cast<u32>(job.priority)},
                                              {"timeout_ms", job.timeout.count()}});
        const std::lock_guard lock(mutex_);
        append(line, true);
        live_[job.job_id] = {next_order_++, line, ""};
        live_bytes_ += line.size();
    } catch (...) {
        unlink(spool.c_str());
        throw;
    }
}

bool Journal::end(const JobResult& result) {
    const std::string line = sealed_line({{"event", "ended"},
                                          {"job", result.job_id},
                                          {"state", static_cast<int>(result.state)},
                                          {"circuit", result.circuit_id},
                                          {"proof", hex_text(result.proof)},
                                          {"public", hex_text(result.public_inputs)},
                                          {"error", result.error},
                                          {"error_kind", static_cast<int>(result.error_kind)},
                                          {"queue_wait", result.timings.queue_wait},
                                          {"key_load", result.timings.key_load},
                                          {"synthesis", result.timings.synthesis},
                                          {"gpu_compute", result.timings.gpu_compute},
                                          {"total", result.timings.total}});
    try {
        if (faults_ != nullptr) faults_->at(FaultPoint::kJournalWrite, result.job_id, -1, -1);
        const std::lock_guard lock(mutex_);
        const auto it = live_.find(result.job_id);
        if (it == live_.end()) return false;
        append(line, false);
        it->second.ended = line;
        live_bytes_ += line.size();
        compact_if_large();
    } catch (const Error&) {
        return false;  // the spool file stays: a restart does the job again
    }
    unlink(spool_path(result.job_id).c_str());
    return true;
}

void Journal::forget(const std::string& job_id) {
    const std::lock_guard lock(mutex_);
    const auto it = live_.find(job_id);
    if (it == live_.end() || it->second.ended.empty()) return;
    live_bytes_ -= it->second.accepted.size() + it->second.ended.size();
    live_.erase(it);
    try {
        append(sealed_line({{"event", "forgotten"}, {"job", job_id}}), false);
        compact_if_large();
    } catch (const Error&) {  // a restart remembers it for a while longer
    }
}

}  // namespace cuzk::engine
