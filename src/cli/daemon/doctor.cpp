// cuzk doctor: is this machine fit to run the daemon, and if not, what to do about it.
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <thread>

#include "cli/common.hpp"
#include "cli/daemon/commands.hpp"
#include "cli/table.hpp"
#include "engine/memory_planner.hpp"
#include "field/cpu.hpp"
#include "filecoin/params/key_cache.hpp"
#include "filecoin/params/store.hpp"
#include "gpu/devices.hpp"
#include "rpc/circuits.hpp"
#include "rpc/config/config.hpp"
#include "rpc/listen.hpp"

namespace cuzk::cli {

namespace {

namespace fs = std::filesystem;
namespace fil = filecoin;

struct DoctorArguments {
    std::string config, params;
    bool json = false;
};

enum class Verdict { kGood, kWarning, kBad };

struct Finding {
    Verdict verdict;
    std::string subject, found, advice;
};

const char* name_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::kGood: return "ok";
        case Verdict::kWarning: return "warning";
        case Verdict::kBad: break;
    }
    return "BAD";
}

class Examination {
public:
    explicit Examination(const DoctorArguments& args) : args_(args) {}

    std::vector<Finding> run() {
        configuration();
        processor();
        memory();
        gpus();
        limits();
        parameters();
        circuits();
        journal();
        return std::move(findings_);
    }

private:
    void add(Verdict verdict, std::string subject, std::string found, std::string advice = "") {
        findings_.push_back({verdict, std::move(subject), std::move(found), std::move(advice)});
    }

    void configuration() {
        if (args_.config.empty()) {
            add(Verdict::kGood, "configuration", "the defaults");
            return;
        }
        try {
            const rpc::ParsedConfig parsed = rpc::load_config(args_.config);
            config_ = parsed.config;
            for (const std::string& address : config_.daemon.listen) rpc::parse_address(address);
            add(Verdict::kGood, "configuration", args_.config);
            for (const std::string& note : parsed.notes)
                add(Verdict::kWarning, "configuration", note, "remove the key");
        } catch (const Error& error) {
            add(Verdict::kBad, "configuration", error.what(),
                "correct the file; `cuzk config show` prints a right one");
        }
    }

    void processor() {
        const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
        const std::string isa(isa_name(active_isa()));
        const std::string found = fmt::format("{} threads, code path '{}'", threads, isa);
        if (active_isa() == Isa::kPortable)
            add(Verdict::kWarning, "processor", found,
                "a processor with BMI2 and ADX computes several times as fast");
        else if (threads < 8)
            add(Verdict::kWarning, "processor", found, "witnesses of 32 GiB sectors want 16 threads or more");
        else
            add(Verdict::kGood, "processor", found);
    }

    void memory() {
        const u64 budget =
            config_.memory.total_budget.value_or(engine::available_host_memory(config_.memory.safety_margin));
        const std::string found = bytes_text(budget) + " to plan with";
        if (budget < (u64{24} << 30))
            add(Verdict::kWarning, "memory", found,
                "enough for small sectors; proofs of 32 GiB sectors want 64 GiB with a large GPU, 128 GiB "
                "without");
        else
            add(Verdict::kGood, "memory", found);
        std::ifstream pages("/sys/kernel/mm/transparent_hugepage/enabled");
        const std::string mode{std::istreambuf_iterator<char>(pages), {}};
        if (mode.find("[never]") != std::string::npos)
            add(Verdict::kWarning, "huge pages", "transparent huge pages are off",
                "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
    }

    void gpus() {
        const bool driver = fs::exists("/proc/driver/nvidia/version");
        const auto devices = gpu::list_devices();
        for (const auto& device : devices)
            add(Verdict::kGood, "GPU",
                fmt::format("{} ({}), {}", device.name, device.uuid, bytes_text(device.memory)));
        if (!devices.empty()) return;
        if (!driver)
            add(Verdict::kWarning, "GPU", "no NVIDIA driver is loaded",
                "proofs are made on the processor; for GPUs install the driver (`nvidia-smi` must list "
                "them)");
        else if (access("/dev/nvidia0", R_OK | W_OK) != 0)
            add(Verdict::kBad, "GPU", "there is a driver, but /dev/nvidia0 can not be opened",
                "in a container, hand the devices in; else check the permissions of /dev/nvidia*");
        else
            add(Verdict::kBad, "GPU", "there is a driver, but this build sees no device",
                "use a build with device code, and a driver of its CUDA version or later");
    }

    void limits() {
        constexpr rlim_t kFiles = 4096;
        rlimit files{};
        getrlimit(RLIMIT_NOFILE, &files);
        const std::string found = fmt::format("{} open files", files.rlim_cur);
        if (files.rlim_cur < kFiles)
            add(Verdict::kWarning, "limits", found,
                fmt::format("every client holds one: LimitNOFILE={} in the unit, or ulimit -n {}", kFiles,
                            kFiles));
        else
            add(Verdict::kGood, "limits", found);
    }

    void parameters() {
        const std::string folder = !args_.params.empty()              ? args_.params
                                   : !config_.srs.param_cache.empty() ? config_.srs.param_cache
                                                                      : fil::parameter_folder();
        if (!fs::is_directory(folder)) {
            add(Verdict::kBad, "parameters", folder + " is no folder",
                "set srs.param_cache, or FIL_PROOFS_PARAMETER_CACHE, to where the .params files are");
            return;
        }
        u64 largest_bytes = 0;
        std::string largest;
        std::size_t count = 0;
        for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
            if (entry.path().extension() != ".params") continue;
            ++count;
            if (access(entry.path().c_str(), R_OK) != 0)
                add(Verdict::kBad, "parameters", entry.path().string() + " can not be read",
                    "check its permissions");
            else if (entry.file_size() > largest_bytes) {
                largest_bytes = entry.file_size();
                largest = entry.path().string();
            }
        }
        if (count == 0) {
            add(Verdict::kBad, "parameters", folder + " holds no .params file",
                "fetch the network's (`curio fetch-params 32GiB`), or make development ones: `cuzk filecoin "
                "params generate`");
            return;
        }
        add(Verdict::kGood, "parameters", fmt::format("{} files in {}", count, folder),
            "`cuzk filecoin params check` compares them with the network's digests");
        key_caches(folder);
        if (!largest.empty()) read_speed(largest, largest_bytes);
    }

    // Copies of the keys that load at once: are they there, or can the daemon make them.
    void key_caches(const std::string& params) {
        if (config_.srs.key_cache == "off") return;
        std::string folder = config_.srs.key_cache_folder;
        if (folder.empty()) folder = fil::key_cache_folder();
        if (folder.empty()) folder = params;
        std::size_t there = 0, missing = 0;
        u64 missing_bytes = 0;
        for (const fs::directory_entry& entry : fs::directory_iterator(params)) {
            if (entry.path().extension() != ".params") continue;
            const fs::path name = fs::path(entry.path().filename()).replace_extension(".cuzk-key");
            if (fs::exists(folder / name) || fs::exists(params / name)) {
                ++there;
                continue;
            }
            ++missing;
            missing_bytes += entry.file_size();
        }
        const std::string found = fmt::format("{} of {} keys have one", there, there + missing);
        if (missing == 0) return add(Verdict::kGood, "key caches", found);
        const char* const advice = "`cuzk filecoin params cache` makes the others, and so does the daemon";
        // The daemon makes the folder: what counts until then is the nearest one above it.
        std::error_code failure;
        fs::path nearest = fs::absolute(folder, failure);
        while (!fs::exists(nearest, failure) && nearest.has_relative_path()) nearest = nearest.parent_path();
        const fs::space_info space = fs::space(nearest, failure);
        if (config_.srs.key_cache == "make" && access(nearest.c_str(), W_OK) != 0)
            add(Verdict::kWarning, "key caches", found + "; " + folder + " can not be written",
                "set srs.key_cache_folder to a folder on a fast disk");
        else if (failure)
            add(Verdict::kWarning, "key caches",
                found + "; the room in " + folder + " can not be found out: " + failure.message());
        else if (space.available < missing_bytes + missing_bytes / 8)
            add(Verdict::kWarning, "key caches",
                fmt::format("{}; {} has no room for {} more", found, folder, bytes_text(missing_bytes)),
                "keys without a cache are decoded at each load, some minutes for a large one");
        else
            add(Verdict::kGood, "key caches", found, advice);
    }

    // What a key load is bound by: sequential reads that go past the page cache.
    void read_speed(const std::string& path, u64 size) {
        constexpr u64 kMost = u64{256} << 20;
        constexpr std::size_t kBlock = std::size_t{4} << 20, kAlignment = 4096;
        if (size < 2 * kBlock) return;  // says nothing
        const int fd = open(path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
        if (fd < 0) return;  // a file system without direct reads
        const auto free_block = [](void* p) { operator delete(p, std::align_val_t(kAlignment)); };
        const std::unique_ptr<void, decltype(free_block)> block(operator new(kBlock,
                                                                             std::align_val_t(kAlignment)),
                                                                free_block);
        const auto start = std::chrono::steady_clock::now();
        u64 done = 0;
        double seconds = 0;
        while (done + kBlock <= std::min(size, kMost) && seconds < 2) {
            if (pread(fd, block.get(), kBlock, static_cast<off_t>(done)) != static_cast<ssize_t>(kBlock))
                break;
            done += kBlock;
            seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        }
        close(fd);
        if (done == 0) return;
        const double rate = static_cast<double>(done) / seconds;
        const std::string found = bytes_text(static_cast<u64>(rate)) + "/s from the disk of the parameters";
        if (rate < 500e6)
            add(Verdict::kWarning, "disk", found,
                fmt::format("the largest key here takes {} to load; an NVMe disk reads 2 GiB/s and more",
                            duration_text(static_cast<double>(size) / rate)));
        else
            add(Verdict::kGood, "disk", found);
    }

    void journal() {
        if (config_.daemon.journal.empty()) {
            add(Verdict::kWarning, "journal", "none: accepted jobs are lost when the process dies",
                "set daemon.journal to a folder on a local disk");
            return;
        }
        struct statvfs space {};
        fs::path folder = config_.daemon.journal;
        while (!fs::exists(folder) && folder.has_relative_path()) folder = folder.parent_path();
        if (statvfs(folder.c_str(), &space) != 0 || access(folder.c_str(), W_OK) != 0) {
            add(Verdict::kBad, "journal", config_.daemon.journal + " can not be written",
                "check its permissions");
            return;
        }
        const u64 free = u64{space.f_bavail} * space.f_frsize;
        const std::string found = fmt::format("{}, {} free", config_.daemon.journal, bytes_text(free));
        if (free < (u64{8} << 30))
            add(Verdict::kWarning, "journal", found,
                "a PoRep request takes 51 MB until its job ends: leave 8 GiB");
        else
            add(Verdict::kGood, "journal", found);
    }

    void circuits() {
        if (config_.circuits.empty()) return;
        try {
            const auto infos = rpc::open_circuits(config_).infos();
            u64 bytes = 0;
            for (const engine::CircuitInfo& circuit : infos) bytes += circuit.key_bytes;
            add(Verdict::kGood, "circuits", fmt::format("{}, keys of {}", infos.size(), bytes_text(bytes)));
        } catch (const Error& error) {
            add(Verdict::kBad, "circuits", error.what(), "the daemon does not start with such an entry");
        }
    }

    const DoctorArguments& args_;
    rpc::DaemonConfig config_;
    std::vector<Finding> findings_;
};

int doctor(const DoctorArguments& args) {
    const std::vector<Finding> findings = Examination(args).run();
    bool bad = false;
    Json rows = Json::array();
    for (const Finding& f : findings) {
        bad = bad || f.verdict == Verdict::kBad;
        rows.push_back({{"verdict", name_of(f.verdict)},
                        {"subject", f.subject},
                        {"found", f.found},
                        {"advice", f.advice}});
        if (args.json) continue;
        fmt::print("{:<8} {:<14} {}\n", name_of(f.verdict), f.subject, f.found);
        if (!f.advice.empty()) fmt::print("{:<23} {}\n", "", f.advice);
    }
    if (args.json) fmt::print("{}\n", rows.dump(2));
    return bad ? exit_code(ErrorKind::kEnvironment) : 0;
}

}  // namespace

void add_doctor(CLI::App& app, Action& action) {
    auto args = std::make_shared<DoctorArguments>();
    CLI::App* c =
        app.add_subcommand("doctor", "Examine this machine: driver, GPUs, memory, limits, parameters, disk");
    c->add_option("--config", args->config, "The daemon's TOML file");
    c->add_option("--params", args->params, "Folder of parameter files");
    c->add_flag("--json", args->json, "Print the findings as JSON");
    c->callback([args, &action] { action = [args] { return doctor(*args); }; });
}

}  // namespace cuzk::cli
