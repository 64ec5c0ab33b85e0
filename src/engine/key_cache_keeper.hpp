// Key caches of the engine: found when a key is opened, written in the background after a key came from its parameter file,
// dropped when a proof casts doubt on one.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "engine/config.hpp"
#include "filecoin/params/key_cache.hpp"

namespace cuzk::engine {

// Thread-safe.
class KeyCacheKeeper {
public:
    KeyCacheKeeper(filecoin::KeyCacheFolders folders, KeyCaches mode)
        : folders_(std::move(folders)), mode_(mode) {}
    // Stops a writer under way; what it wrote is removed.
    ~KeyCacheKeeper();

    // A cache that may be used. One that is stale or damaged is told of and left to be written over.
    std::optional<KeyCacheFile> find(filecoin::CircuitKind kind, const filecoin::SectorShape& shape);
    // The key was loaded from its parameter file: its cache is wanted. At once; the writing goes on behind.
    void write_later(filecoin::CircuitKind kind, const filecoin::SectorShape& shape);
    // The same, waited for; nothing if none is to be made, or none can.
    std::optional<KeyCacheFile> make_now(filecoin::CircuitKind kind, const filecoin::SectorShape& shape,
                                         Progress* progress, const std::stop_token& stop);
    // Of a cache that must not be used: removes it if it is the keeper's to make (it may make some, and lies where it writes
    // them), and else does not find it again.
    void reject(filecoin::CircuitKind kind, const filecoin::SectorShape& shape, const KeyCacheFile& cache,
                const std::string& reason);

    // What an operator should know, since the last call.
    std::vector<std::string> take_notes();

private:
    struct Wanted {
        filecoin::CircuitKind kind;
        filecoin::SectorShape shape;
    };
    void run(const std::stop_token& stop);
    // False if it failed, which is told of once.
    bool make(const Wanted& wanted, const KeyCacheWriteOptions& options);
    bool may_make(const Wanted& wanted);
    void note(std::string text);

    const filecoin::KeyCacheFolders folders_;
    const KeyCaches mode_;

    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<Wanted> wanted_;
    std::map<std::string, unsigned> rejections_;  // by path
    std::set<std::string> left_there_;            // rejected, and still there
    std::vector<std::string> notes_;
    std::string last_failure_;
    std::jthread writer_;  // last; started with the first cache that is wanted
};

}  // namespace cuzk::engine
