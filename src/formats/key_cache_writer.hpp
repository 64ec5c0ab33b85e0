// Makes a key cache (key_cache.hpp) of a parameter file.
#pragma once

#include <stop_token>
#include <string>

#include "formats/key_cache.hpp"

namespace cuzk {

struct KeyCacheWriteOptions {
    // Of the source's points on the way. Flags and ranges always are.
    PointChecks checks = PointChecks::kNone;
    Progress* progress = nullptr;
    std::stop_token stop;
};

// Bytes of the cache that would be made.
u64 key_cache_bytes(const ParamsFile& source, const std::string& circuit);

// Reads the parameter file at `source_path` once, in pieces: memory does not grow with the key. The cache appears under `path`
// whole or not at all (base/output_file.hpp). False if it was stopped. Throws the reader's errors, Error(kEnvironment) if the
// output cannot be written or the source changed meanwhile. `circuit` names what the key is for: at most 1024 bytes.
// One writer at a time is the caller's business.
bool write_key_cache(const std::string& source_path, const std::string& circuit, const std::string& path,
                     const KeyCacheWriteOptions& options = {});

}  // namespace cuzk
