// What the kernel says about the host's memory: /proc/meminfo, and the limits of cgroups v2 and v1 (kernel documentation:
// admin-guide/cgroup-v2.rst, admin-guide/cgroup-v1/memory.rst).
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "engine/memory_planner.hpp"

namespace cuzk::engine {

namespace {

constexpr u64 kNoLimit = std::numeric_limits<u64>::max();

std::optional<u64> read_number(const std::string& path) {
    std::ifstream file(path);
    u64 value = 0;
    if (file >> value) return value;
    return std::nullopt;  // absent, or "max"
}

u64 available(const std::string& root) {
    std::ifstream file(root + "/proc/meminfo");
    std::string key, unit;
    u64 kibibytes = 0;
    while (file >> key >> kibibytes) {
        std::getline(file, unit);
        if (key == "MemAvailable:") return kibibytes * 1024;
    }
    throw Error(ErrorKind::kEnvironment, root + "/proc/meminfo does not say how much memory is available");
}

// What the limit of a cgroup folder and of all above it leaves. Page cache that can be dropped counts as use in
// the kernel's number; "inactive_file" takes most of it out again.
u64 left_in_cgroup(const std::string& mount, std::string path, const char* limit_name, const char* use_name) {
    u64 left = kNoLimit;
    for (;;) {
        const std::string folder = mount + path;
        const auto limit = read_number(folder + "/" + limit_name);
        const auto use = read_number(folder + "/" + use_name);
        if (limit && use && *limit < (u64{1} << 60)) {
            u64 cache = 0;
            std::ifstream stat(folder + "/memory.stat");
            std::string key;
            u64 value = 0;
            while (stat >> key >> value)
                if (key == "inactive_file") cache = value;
            const u64 held = *use - std::min(*use, cache);
            left = std::min(left, *limit - std::min(*limit, held));
        }
        if (path.empty() || path == "/") return left;
        path = std::filesystem::path(path).parent_path().string();
    }
}

u64 left_by_cgroups(const std::string& root) {
    u64 left = kNoLimit;
    std::ifstream file(root + "/proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        std::istringstream fields(line);
        std::string number, controllers, path;
        std::getline(fields, number, ':');
        std::getline(fields, controllers, ':');
        std::getline(fields, path);
        if (controllers.empty())
            left =
                std::min(left, left_in_cgroup(root + "/sys/fs/cgroup", path, "memory.max", "memory.current"));
        else if (("," + controllers + ",").find(",memory,") != std::string::npos)
            left = std::min(left, left_in_cgroup(root + "/sys/fs/cgroup/memory", path,
                                                 "memory.limit_in_bytes", "memory.usage_in_bytes"));
    }
    return left;
}

}  // namespace

u64 available_host_memory(u64 margin, const std::string& root) {
    const u64 left = std::min(available(root), left_by_cgroups(root));
    if (left <= margin)
        throw Error(ErrorKind::kEnvironment, "only " + size_text(left) +
                                                 " of host memory are available, less than the margin of " +
                                                 size_text(margin) + " that is to stay free");
    return left - margin;
}

std::string size_text(u64 bytes) {
    constexpr std::pair<u64, const char*> kUnits[] = {
        {u64{1} << 30, "GiB"}, {u64{1} << 20, "MiB"}, {u64{1} << 10, "KiB"}};
    for (const auto& [size, unit] : kUnits)
        if (bytes >= size)
            return fmt::format("{:.1f} {}", static_cast<double>(bytes) / static_cast<double>(size), unit);
    return fmt::format("{} bytes", bytes);
}

}  // namespace cuzk::engine
