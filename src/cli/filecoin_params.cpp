// cuzk filecoin params: the parameter files and their key caches.
#include <fmt/core.h>

#include <filesystem>

#include "base/random.hpp"
#include "cli/app.hpp"
#include "cli/common.hpp"
#include "cli/filecoin_options.hpp"
#include "cli/table.hpp"
#include "cli/terminal_progress.hpp"
#include "filecoin/params/key_cache.hpp"
#include "filecoin/params/store.hpp"
#include "formats/digest.hpp"
#include "gpu/choose_backend.hpp"
#include "gpu/device_setup.hpp"

namespace cuzk::cli {

namespace {

namespace fil = filecoin;

struct Arguments {
    CommonOptions common;
    std::string params, caches, kind, size, seed, device = "cpu";
    bool check = false, deep = false, anew = false;

    fil::KeyCacheFolders folders() const {
        return {params.empty() ? fil::parameter_folder() : params,
                caches.empty() ? fil::key_cache_folder() : caches};
    }
};

struct Named {
    fil::CircuitKind kind;
    fil::SectorShape shape;

    std::string text() const {
        return std::string(fil::circuit_name(kind)) + " " + fil::sector_size_name(shape.bytes);
    }
};

// The circuits that the arguments name: all whose parameter files are here, if they name none.
std::vector<Named> chosen(const Arguments& args) {
    constexpr u64 kSizes[] = {1,       2,        4,         8,       16,       32,
                              8 << 10, 16 << 10, 512 << 10, 1 << 20, 32 << 20, 64 << 20};  // KiB
    std::vector<Named> out;
    for (const std::string& name : kCircuitNames)
        for (const u64 kibibytes : kSizes) {
            const Named named{fil::circuit_of_name(name), fil::sector_shape(kibibytes << 10)};
            if (!args.kind.empty() && name != args.kind) continue;
            if (!args.size.empty() && named.shape.bytes != fil::parse_sector_size(args.size)) continue;
            const bool wanted = !args.kind.empty() && !args.size.empty();
            if (wanted ||
                std::filesystem::exists(fil::params_path(args.folders().params, named.kind, named.shape)))
                out.push_back(named);
        }
    return out;
}

// What the network would publish of the file that a cache was made from.
std::string source_digest(const KeyCacheFile& cache) {
    return hex_text(cache.source_digest()).substr(0, 32);
}

// "yes", "no", or that it is there and of no use.
const char* cache_state(const fil::FoundKeyCache& found) {
    if (found.file) return "yes";
    return found.problem.empty() ? "no" : "stale";
}

int list(const Arguments& args) {
    Table table({"circuit", "sector", "file", "digest", "here", "key cache"});
    Json rows = Json::array();
    for (const fil::PublishedDigest& d : fil::published_digests()) {
        const fil::SectorShape shape = fil::sector_shape(d.sector_bytes);
        const bool here = std::filesystem::exists(fil::params_path(args.folders().params, d.kind, shape));
        const std::string name = fil::parameter_name(d.kind, shape) + ".params";
        const auto cache = fil::find_key_cache(args.folders(), d.kind, shape);
        table.add({fil::circuit_name(d.kind), fil::sector_size_name(d.sector_bytes), name, d.params,
                   here ? "yes" : "no", cache_state(cache)});
        rows.push_back({{"circuit", fil::circuit_name(d.kind)},
                        {"sector_size", d.sector_bytes},
                        {"file", name},
                        {"digest", d.params},
                        {"vk_digest", d.vk},
                        {"present", here},
                        {"key_cache", cache_state(cache)}});
    }
    if (args.common.json)
        fmt::print("{}\n", rows.dump(2));
    else
        fmt::print(
            "folder: {}\n{}Missing files come from the network's parameter fetcher, by these names and "
            "digests.\n",
            args.folders().params, table.text());
    return 0;
}

// What is wrong with a cache, read as a whole; empty if nothing is.
std::string cache_fault(const Arguments& args, const Named& named, const fil::FoundKeyCache& found,
                        Progress& progress) {
    if (!found.file) return found.problem;
    try {
        found.file->check({args.deep ? PointChecks::kSubgroup : PointChecks::kNone, &progress});
    } catch (const Error& error) {
        return error.what();
    }
    if (args.deep && fil::network_digest(fil::params_path(args.folders().params, named.kind, named.shape),
                                         &progress) != source_digest(*found.file))
        return "the parameter file is not the one that it was made from";
    return "";
}

// Compares every published file that is in the folder with its digest, and reads their caches.
int check(const Arguments& args) {
    TerminalProgress progress;
    Table table({"file", "result"});
    Json rows = Json::array();
    bool good = true;
    for (const fil::PublishedDigest& d : fil::published_digests()) {
        const fil::SectorShape shape = fil::sector_shape(d.sector_bytes);
        for (const auto& [path, digest] :
             {std::pair{fil::params_path(args.folders().params, d.kind, shape), d.params},
              std::pair{fil::vk_path(args.folders().params, d.kind, shape), d.vk}}) {
            if (!std::filesystem::exists(path)) continue;
            const bool equal = fil::network_digest(path, &progress) == digest;
            good = good && equal;
            table.add({path, equal ? "the network's file"
                                   : "NOT the network's file (damaged, or development parameters)"});
            rows.push_back({{"file", path}, {"published", equal}});
        }
        const auto cache = fil::find_key_cache(args.folders(), d.kind, shape);
        if (!cache.file && cache.problem.empty()) continue;
        const std::string fault = cache_fault(args, {d.kind, shape}, cache, progress);
        const bool published = cache.file && source_digest(*cache.file) == d.params;
        good = good && fault.empty() && published;
        table.add({cache.path, !fault.empty() ? fault
                               : published    ? "a sound key cache of the network's file"
                                              : "a sound key cache, NOT of the network's file"});
        rows.push_back(
            {{"file", cache.path}, {"published", published}, {"sound", fault.empty()}, {"fault", fault}});
    }
    if (args.common.json)
        fmt::print("{}\n", rows.dump(2));
    else if (rows.empty())
        fmt::print("no parameter file is in {}\n", args.folders().params);
    else
        fmt::print("{}", table.text());
    return good ? 0 : exit_code(ErrorKind::kMalformed);
}

int generate(const Arguments& args) {
    const ThreadLimit limit(args.common.threads);
    const fil::SectorShape shape = fil::sector_shape(fil::parse_sector_size(args.size));
    const fil::CircuitKind kind = fil::circuit_of_name(args.kind);
    TerminalProgress progress;
    OsRandom os;
    std::optional<SeededRandom> seeded;
    if (!args.seed.empty())
        seeded.emplace(std::span(reinterpret_cast<const u8*>(args.seed.data()), args.seed.size()));
    RandomSource& random = seeded ? static_cast<RandomSource&>(*seeded) : os;
    const SetupBases<Bls12_381> bases;
    fil::MakeSetupTarget on_device;
    if (const auto device = gpu::cuda_name(args.device))
        on_device = [&, device](KeySink<Bls12_381>& sink) {
            return gpu::make_setup_target<Bls12_381>(*device, 0, sink, bases, &progress);
        };
    fil::generate_params(args.folders().params, kind, shape, random, &progress, on_device);
    fmt::print(
        stderr,
        "cuzk: warning: development parameters: UNSAFE FOR PRODUCTION, whoever made them can forge proofs\n");
    fmt::print("{}\n", fil::params_path(args.folders().params, kind, shape));
    return 0;
}

const char* outcome_name(fil::KeyCacheOutcome outcome) {
    switch (outcome) {
        case fil::KeyCacheOutcome::kMade: return "made";
        case fil::KeyCacheOutcome::kFresh: return "up to date";
        case fil::KeyCacheOutcome::kBusy: return "being written by somebody else";
        case fil::KeyCacheOutcome::kStopped: break;
    }
    return "stopped";
}

// Makes the caches that are missing, or reads those that are there.
int cache(const Arguments& args) {
    const ThreadLimit limit(args.common.threads);
    TerminalProgress progress;
    Table table({"circuit", "key cache", "size", "result"});
    Json rows = Json::array();
    bool good = true;
    for (const Named& named : chosen(args)) {
        const auto start = std::chrono::steady_clock::now();
        std::string path, result;
        u64 bytes = 0;
        bool fine = true;
        if (args.check) {
            const auto found = fil::find_key_cache(args.folders(), named.kind, named.shape);
            if (!found.file && found.problem.empty()) continue;
            path = found.path;
            result = cache_fault(args, named, found, progress);
            fine = result.empty();
            if (fine) result = "sound";
            std::error_code gone;
            const auto size = std::filesystem::file_size(found.path, gone);
            bytes = gone ? 0 : size;
        } else {
            KeyCacheWriteOptions options;
            options.checks = args.deep ? PointChecks::kSubgroup : PointChecks::kCurve;
            options.progress = &progress;
            const auto made =
                fil::make_key_cache(args.folders(), named.kind, named.shape, args.anew, options);
            path = made.path;
            result = outcome_name(made.outcome);
            bytes = made.bytes;
        }
        good = good && fine;
        table.add({named.text(), path, bytes_text(bytes), result});
        rows.push_back({{"circuit", fil::circuit_name(named.kind)},
                        {"sector_size", named.shape.bytes},
                        {"file", path},
                        {"bytes", bytes},
                        {"result", result},
                        {"good", fine},
                        {"seconds", seconds_since(start)}});
    }
    if (args.common.json)
        fmt::print("{}\n", rows.dump(2));
    else if (rows.empty())
        fmt::print("no {} in {}\n", args.check ? "key cache of a parameter file" : "parameter file",
                   args.folders().params);
    else
        fmt::print("{}", table.text());
    return good ? 0 : exit_code(ErrorKind::kMalformed);
}

using Run = int (*)(const Arguments&);

std::shared_ptr<Arguments> command(CLI::App& parent, const char* name, const char* help, Run run,
                                   Action& action, CLI::App*& out) {
    auto args = std::make_shared<Arguments>();
    out = parent.add_subcommand(name, help);
    out->callback([args, run, &action] { action = [args, run] { return run(*args); }; });
    add_params_option(*out, args->params);
    return args;
}

}  // namespace

void add_filecoin_params(CLI::App& group, Action& action) {
    CLI::App* params = group.add_subcommand("params", "Parameter files, and key caches made from them");
    params->require_subcommand(1);
    CLI::App* c = nullptr;

    auto args =
        command(*params, "list", "The network's files: names, digests, which are here", list, action, c);
    add_caches_option(*c, args->caches);
    args->common.add_to(*c);

    args = command(*params, "check",
                   "Compare the files that are here with the network's digests, and read their key caches",
                   check, action, c);
    c->add_flag("--deep", args->deep, "Check every point of the key caches, the subgroup included");
    add_caches_option(*c, args->caches);
    args->common.add_to(*c);

    args = command(*params, "cache",
                   "Make key caches: copies of parameter files that load as fast as the disk reads", cache,
                   action, c);
    add_circuit_option(*c, args->kind)
        ->description("porep, update, window-post or winning-post (default: every parameter file here)");
    add_size_option(*c, args->size);
    auto* const anew = c->add_flag("--anew", args->anew, "Make those that are up to date again, too");
    c->add_flag("--check", args->check, "Make none: read those that are here, and compare their digests")
        ->excludes(anew);
    c->add_flag("--deep", args->deep, "Check every point, the subgroup included, not only the curve");
    add_caches_option(*c, args->caches);
    args->common.add_to(*c);

    args = command(*params, "generate", "Development parameters of a circuit: UNSAFE FOR PRODUCTION",
                   generate, action, c);
    args->kind = "porep";
    add_circuit_option(*c, args->kind)->capture_default_str();
    add_size_option(*c, args->size)->required();
    c->add_option("--seed", args->seed,
                  "Equal seeds give equal parameters (default: the system's randomness)");
    c->add_option("--device", args->device,
                  "What makes the points: cpu, cuda, cuda:NUMBER, a UUID, auto; the files are the same")
        ->capture_default_str();
    args->common.add_to(*c, false);
}

}  // namespace cuzk::cli
