#include "engine/key_cache_keeper.hpp"

#include <sys/resource.h>

#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/run_alone.hpp"

namespace cuzk::engine {

namespace fil = filecoin;

namespace {

constexpr std::size_t kMostNotes = 100;
// Where a cache went bad this often its disk or its memory is to blame, and the parameter file serves better.
constexpr unsigned kMostRejections = 2;

}  // namespace

KeyCacheKeeper::~KeyCacheKeeper() {
    writer_.request_stop();
}

void KeyCacheKeeper::note(std::string text) {
    const std::lock_guard lock(mutex_);
    if (notes_.size() < kMostNotes) notes_.push_back(std::move(text));
}

std::vector<std::string> KeyCacheKeeper::take_notes() {
    const std::lock_guard lock(mutex_);
    return std::exchange(notes_, {});
}

std::optional<KeyCacheFile> KeyCacheKeeper::find(fil::CircuitKind kind, const fil::SectorShape& shape) {
    if (mode_ == KeyCaches::kOff) return std::nullopt;
    fil::FoundKeyCache found = fil::find_key_cache(folders_, kind, shape);
    if (!found.problem.empty())
        note("the key cache is not used and the parameter file is read instead: " + found.problem);
    if (!found.file) return std::nullopt;
    const std::lock_guard lock(mutex_);
    const auto rejected = rejections_.find(found.path);
    const bool trusted = rejected == rejections_.end() ||
                         (rejected->second < kMostRejections && !left_there_.contains(found.path));
    return trusted ? std::move(found.file) : std::nullopt;
}

void KeyCacheKeeper::reject(fil::CircuitKind kind, const fil::SectorShape& shape, const KeyCacheFile& cache,
                            const std::string& reason) {
    const std::string path = cache.source().name;
    // What others made is theirs to remove.
    std::error_code failure;
    const bool removed = mode_ == KeyCaches::kMake && path == fil::key_cache_path(folders_, kind, shape) &&
                         std::filesystem::remove(path, failure);
    note("the key cache is dropped, the parameter file counts: " + path + ": " + reason);
    const std::lock_guard lock(mutex_);
    ++rejections_[path];
    if (!removed) left_there_.insert(path);
}

bool KeyCacheKeeper::may_make(const Wanted& wanted) {
    if (mode_ != KeyCaches::kMake) return false;
    const std::lock_guard lock(mutex_);
    const auto rejected = rejections_.find(fil::key_cache_path(folders_, wanted.kind, wanted.shape));
    return rejected == rejections_.end() || rejected->second < kMostRejections;
}

void KeyCacheKeeper::write_later(fil::CircuitKind kind, const fil::SectorShape& shape) {
    if (!may_make({kind, shape})) return;
    const std::lock_guard lock(mutex_);
    wanted_.push_back({kind, shape});
    if (!writer_.joinable()) writer_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    changed_.notify_all();
}

std::optional<KeyCacheFile> KeyCacheKeeper::make_now(fil::CircuitKind kind, const fil::SectorShape& shape,
                                                     Progress* progress, const std::stop_token& stop) {
    if (!may_make({kind, shape}) || !make({kind, shape}, {PointChecks::kNone, progress, stop}))
        return std::nullopt;
    return find(kind, shape);
}

void KeyCacheKeeper::run(const std::stop_token& stop) {
    // Proofs come first. On Linux this is the thread's own.
    setpriority(PRIO_PROCESS, 0, 10);
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [&] { return !wanted_.empty(); })) {
        const Wanted next = wanted_.front();
        wanted_.pop_front();
        lock.unlock();
        run_alone([&] { return make(next, {PointChecks::kNone, nullptr, stop}); });
        lock.lock();
    }
}

bool KeyCacheKeeper::make(const Wanted& wanted, const KeyCacheWriteOptions& options) {
    std::string failure;
    try {
        // One that was rejected and is still there looks fresh, and is none.
        const std::string there = fil::find_key_cache(folders_, wanted.kind, wanted.shape).path;
        const bool anew = [&] {
            const std::lock_guard lock(mutex_);
            return left_there_.contains(there);
        }();
        const fil::MadeKeyCache made =
            fil::make_key_cache(folders_, wanted.kind, wanted.shape, anew, options);
        const std::lock_guard lock(mutex_);
        if (made.outcome == fil::KeyCacheOutcome::kMade) left_there_.erase(made.path);
        return made.outcome == fil::KeyCacheOutcome::kMade || made.outcome == fil::KeyCacheOutcome::kFresh;
    } catch (const Error& error) {
        failure = error.what();
    } catch (const std::bad_alloc&) {
        failure = "out of host memory";
    } catch (const std::exception&
                 error) {  // a file system or a thread that fails: nothing here may end the process
        failure = error.what();
    }
    {
        const std::lock_guard lock(mutex_);
        if (failure == std::exchange(last_failure_, failure)) return false;
    }
    note("no key cache is made: " + failure);
    return false;
}

}  // namespace cuzk::engine
