#include "cli/device_options.hpp"

#include "cli/common.hpp"
#include "gpu/choose_backend.hpp"

namespace cuzk::cli {

namespace {

// "16GiB", "16G", "16000MB"
u64 parse_bytes(const std::string& text) {
    std::size_t end = 0;
    double value = 0;
    try {
        value = std::stod(text, &end);
    } catch (const std::exception&) {
        end = 0;
    }
    const std::string unit = text.substr(std::min(end, text.size()));
    const struct {
        const char* name;
        double factor;
    } units[] = {{"GiB", 0x1p30}, {"G", 0x1p30}, {"GB", 1e9}, {"MiB", 0x1p20}, {"M", 0x1p20}, {"MB", 1e6}};
    for (const auto& u : units)
        if (end != 0 && value > 0 && value < 1e6 && unit == u.name) return static_cast<u64>(value * u.factor);
    throw Error(ErrorKind::kUsage, "'" + text + "' is no amount of memory such as 16GiB");
}

}  // namespace

void DeviceOptions::add_to(CLI::App& command) {
    command.add_option("--device", device, "cpu, cuda, cuda:NUMBER, a device's UUID, or auto")
        ->capture_default_str();
    command.add_option("--vram-limit", vram_limit,
                       "Device memory to use at most, such as 16GiB (default: what is free)");
    command
        .add_option("--helpers", helpers,
                    "Other devices (numbers or UUIDs) that take shares of the largest sum of a proof")
        ->delimiter(',');
    command.add_flag("--stream-key", stream_key, "Bring the key to the device anew for each proof");
}

u64 DeviceOptions::memory_limit() const {
    return vram_limit.empty() ? 0 : parse_bytes(vram_limit);
}

std::optional<std::string> DeviceOptions::cuda_name() const {
    auto name = gpu::cuda_name(device == "cuda:all" ? "cuda" : device);
    if (!name && !helpers.empty())
        throw Error(ErrorKind::kUsage,
                    "--helpers are for a GPU, but --device " + device + " is the processor here");
    return name;
}

DeviceOptions DeviceOptions::with_device(std::string name) const {
    DeviceOptions other = *this;
    other.device = std::move(name);
    return other;
}

template <class C>
std::unique_ptr<Backend<C>> make_backend(const DeviceOptions& options) {
    const auto device = options.cuda_name();
    gpu::BackendOptions backend;
    backend.memory_limit = options.memory_limit();
    backend.resident_keys = !options.stream_key;
    backend.helpers = options.helpers;
    const std::string name = !device ? "cpu" : device->empty() ? "cuda" : "cuda:" + *device;
    return gpu::choose_backend<C>(name, backend);
}

template std::unique_ptr<Backend<Bls12_381>> make_backend(const DeviceOptions&);
template std::unique_ptr<Backend<Bn254>> make_backend(const DeviceOptions&);

}  // namespace cuzk::cli
