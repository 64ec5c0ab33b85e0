// The key caches (formats/key_cache.hpp) of parameter files: where they are, which are of use, and how they are made.
#pragma once

#include "filecoin/params/names.hpp"
#include "formats/key_cache_writer.hpp"

namespace cuzk::filecoin {

struct KeyCacheFolders {
    std::string params;  // of the parameter files
    std::string caches;  // of the caches; empty: beside the parameter files
};

// Where caches go unless somebody says otherwise: the environment's CUZK_KEY_CACHE, or empty.
std::string key_cache_folder();

// Where the circuit's cache is written to.
std::string key_cache_path(const KeyCacheFolders& folders, CircuitKind kind, const SectorShape& shape);

struct FoundKeyCache {
    std::optional<KeyCacheFile>
        file;  // of this circuit, made from the parameter file as it is now, whole at a cheap look
    std::string path;
    std::string problem;  // why the cache that is there is of no use; empty if it is, or if there is none
};
// Looks into the folder of caches, then beside the parameter file. Throws nothing on account of a cache.
FoundKeyCache find_key_cache(const KeyCacheFolders& folders, CircuitKind kind, const SectorShape& shape);

enum class KeyCacheOutcome {
    kMade,
    kFresh,    // there was one already
    kBusy,     // somebody else is writing it
    kStopped,  // by the options' stop token
};
struct MadeKeyCache {
    KeyCacheOutcome outcome = KeyCacheOutcome::kMade;
    std::string path;
    u64 bytes = 0;  // of the cache; 0 if it is not there
};
// Makes the circuit's cache where there is none of use, or in any case (`anew`). What a writer that was killed left behind is
// removed. Throws Error(kEnvironment) where the parameter file is missing, the folder can not be written, or its disk would be
// nearly full; the source's errors.
MadeKeyCache make_key_cache(const KeyCacheFolders& folders, CircuitKind kind, const SectorShape& shape,
                            bool anew = false, const KeyCacheWriteOptions& options = {});

}  // namespace cuzk::filecoin
