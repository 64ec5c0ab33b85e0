#include "filecoin/params/key_cache.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"
#include "base/file_lock.hpp"
#include "filecoin/params/store.hpp"

namespace cuzk::filecoin {

namespace fs = std::filesystem;

namespace {

constexpr const char* kSuffix = ".cuzk-key";

std::string path_in(const std::string& folder, CircuitKind kind, const SectorShape& shape) {
    return (fs::path(folder) / (parameter_name(kind, shape) + kSuffix)).string();
}

// Why a cache that can be read is not the one that is wanted; empty if it is. Parameters of one circuit have the same length
// always, and copying may give files the same time: what tells them apart for certain, and cheaply, is the verifying key.
std::string misfit(const KeyCacheFile& file, const std::string& circuit, const std::string& source) {
    if (file.circuit() != circuit) return "it is of another circuit";
    if (file.made_from() != FileStamp::of(source)) return "the parameter file has changed since it was made";
    const ParamsFile params(ByteSource::open(source));
    if (file.vk() != params.vk()) return "its verifying key is not the parameter file's";
    for (std::size_t i = 0; i < params.queries().size(); ++i)
        if (file.queries()[i].count != params.queries()[i].count)
            return "its queries do not have as many points as the parameter file's";
    return "";
}

FoundKeyCache look_at(std::string path, const std::string& circuit, const std::string& source) {
    FoundKeyCache found;
    found.path = std::move(path);
    std::error_code unreadable;
    if (!fs::exists(found.path, unreadable)) {
        if (unreadable) found.problem = found.path + ": " + unreadable.message();
        return found;
    }
    try {
        KeyCacheFile file(ByteSource::open(found.path));
        found.problem = misfit(file, circuit, source);
        if (found.problem.empty())
            found.file = std::move(file);
        else
            found.problem = found.path + ": " + found.problem;
    } catch (const Error& error) {
        found.problem = error.what();
    }
    return found;
}

// Temporary files of an OutputFile (the target's name and ".tmp-...") whose process was killed. Only under the lock.
void remove_leftovers(const std::string& path) {
    const std::string prefix = fs::path(path).filename().string() + ".tmp-";
    std::error_code ignored;
    fs::directory_iterator entry(fs::path(path).parent_path(), ignored);
    for (; !ignored && entry != fs::directory_iterator(); entry.increment(ignored))
        if (entry->path().filename().string().starts_with(prefix)) fs::remove(entry->path(), ignored);
}

void require_room(const std::string& folder, u64 bytes) {
    struct statvfs space {};
    if (statvfs(folder.c_str(), &space) != 0)
        throw Error(ErrorKind::kEnvironment,
                    fmt::format("{}: its file system cannot be examined: {}", folder, std::strerror(errno)));
    const u64 free = u64{space.f_bavail} * space.f_frsize;
    // A disk that is full to the brim is trouble for everybody on it.
    const u64 wanted = bytes + bytes / 8;
    if (free < wanted)
        throw Error(
            ErrorKind::kEnvironment,
            fmt::format("{}: no room for a key cache: it needs {} bytes, with a margin {}; {} are free",
                        folder, bytes, wanted, free));
}

}  // namespace

std::string key_cache_folder() {
    const char* folder = std::getenv("CUZK_KEY_CACHE");
    return folder != nullptr ? folder : "";
}

std::string key_cache_path(const KeyCacheFolders& folders, CircuitKind kind, const SectorShape& shape) {
    return path_in(folders.caches.empty() ? folders.params : folders.caches, kind, shape);
}

FoundKeyCache find_key_cache(const KeyCacheFolders& folders, CircuitKind kind, const SectorShape& shape) {
    const std::string source = params_path(folders.params, kind, shape);
    FoundKeyCache first;
    first.path = key_cache_path(folders, kind, shape);
    std::error_code unreadable;
    if (!fs::exists(source, unreadable)) return first;
    const std::string circuit = parameter_name(kind, shape);
    first = look_at(std::move(first.path), circuit, source);
    if (first.file || folders.caches.empty()) return first;
    FoundKeyCache beside = look_at(path_in(folders.params, kind, shape), circuit, source);
    return beside.file || first.problem.empty() ? beside : first;
}

MadeKeyCache make_key_cache(const KeyCacheFolders& folders, CircuitKind kind, const SectorShape& shape,
                            bool anew, const KeyCacheWriteOptions& options) {
    require_params(folders.params, kind, shape);
    const std::string source = params_path(folders.params, kind, shape);
    if (!anew) {
        const FoundKeyCache found = find_key_cache(folders, kind, shape);
        if (found.file) return {KeyCacheOutcome::kFresh, found.path, found.file->source().bytes.size()};
    }
    MadeKeyCache made;
    made.path = key_cache_path(folders, kind, shape);
    const std::string folder = fs::path(made.path).parent_path().string();
    if (!folders.caches.empty()) {
        std::error_code failure;
        fs::create_directories(folder, failure);
        if (failure) throw Error(ErrorKind::kEnvironment, folder + ": cannot be made: " + failure.message());
    }
    // Root may write where the folder's owner meant nobody to.
    struct stat info {};
    const bool meant = stat(folder.c_str(), &info) == 0 && (info.st_mode & 0222) != 0;
    if (!meant || access(folder.c_str(), W_OK) != 0)
        throw Error(ErrorKind::kEnvironment, folder +
                                                 ": cannot be written, and so holds no key caches; "
                                                 "name another folder for them");
    const auto lock = FileLock::try_acquire(made.path + ".lock");
    if (!lock) {
        made.outcome = KeyCacheOutcome::kBusy;
        return made;
    }
    remove_leftovers(made.path);
    const std::string circuit = parameter_name(kind, shape);
    const u64 bytes = key_cache_bytes(ParamsFile(ByteSource::open(source)), circuit);
    require_room(folder, bytes);
    if (!write_key_cache(source, circuit, made.path, options)) {
        made.outcome = KeyCacheOutcome::kStopped;
        return made;
    }
    made.bytes = bytes;
    return made;
}

}  // namespace cuzk::filecoin
