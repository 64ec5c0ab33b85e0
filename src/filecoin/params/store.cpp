#include "filecoin/params/store.hpp"

#include <filesystem>

#include "filecoin/prove/circuit.hpp"
#include "formats/bellman.hpp"
#include "formats/digest.hpp"
#include "groth16/setup.hpp"

namespace cuzk::filecoin {

namespace {

std::string path_of(const std::string& folder, CircuitKind kind, const SectorShape& shape,
                    const char* suffix) {
    return (std::filesystem::path(folder) / (parameter_name(kind, shape) + suffix)).string();
}

[[noreturn]] void missing(const std::string& path, CircuitKind kind, const SectorShape& shape) {
    const std::string size = sector_size_name(shape.bytes);
    throw Error(ErrorKind::kEnvironment,
                "the parameters of " + std::string(circuit_name(kind)) + " " + size + " are not at " + path +
                    ": set FIL_PROOFS_PARAMETER_CACHE to the folder that holds the network's parameter "
                    "files, or make "
                    "development parameters with 'cuzk filecoin params generate --circuit " +
                    circuit_name(kind) + " --sector-size " + size + "'");
}

}  // namespace

std::string params_path(const std::string& folder, CircuitKind kind, const SectorShape& shape) {
    return path_of(folder, kind, shape, ".params");
}

std::string vk_path(const std::string& folder, CircuitKind kind, const SectorShape& shape) {
    return path_of(folder, kind, shape, ".vk");
}

void require_params(const std::string& folder, CircuitKind kind, const SectorShape& shape) {
    const std::string path = params_path(folder, kind, shape);
    if (!std::filesystem::exists(path)) missing(path, kind, shape);
}

ProvingKey<Bls12_381> load_params(const std::string& folder, CircuitKind kind, const SectorShape& shape,
                                  Progress* progress) {
    require_params(folder, kind, shape);
    const std::string path = params_path(folder, kind, shape);
    // Points are not checked here: a proof from a damaged key fails its verification, and then the damage is looked for.
    return read_params(ByteSource::open(path), {PointChecks::kNone, progress});
}

VerifyingKey<Bls12_381> load_vk(const std::string& folder, CircuitKind kind, const SectorShape& shape) {
    const std::string path = vk_path(folder, kind, shape);
    if (std::filesystem::exists(path)) return read_bellman_vk(ByteSource::open(path));
    const std::string whole = params_path(folder, kind, shape);
    if (!std::filesystem::exists(whole)) missing(path, kind, shape);
    return ParamsFile(ByteSource::open(whole)).vk();
}

std::string network_digest(const std::string& path, Progress* progress) {
    const ByteSource source = ByteSource::open(path);
    constexpr std::size_t kChunk = std::size_t{64} << 20;
    Hasher hasher(Hasher::Algorithm::kBlake2b512);
    for (std::size_t done = 0; done < source.bytes.size(); done += kChunk) {
        report_progress(progress, "digest", done, source.bytes.size());
        hasher.update(source.bytes.subspan(done, std::min(kChunk, source.bytes.size() - done)));
    }
    report_progress(progress, "digest", source.bytes.size(), source.bytes.size());
    std::array<u8, 64> digest{};
    hasher.finish(digest);
    return hex_text(digest).substr(0, 32);
}

void generate_params(const std::string& folder, CircuitKind kind, const SectorShape& shape,
                     RandomSource& random, Progress* progress, const MakeSetupTarget& make_target) {
    std::filesystem::create_directories(folder);
    const CompiledCircuit circuit(kind, shape);
    ParamsSink sink(params_path(folder, kind, shape));
    VerifyingKey<Bls12_381> vk;
    if (make_target)
        vk = setup<Bls12_381>(KeyFamily::kBellman, circuit, random, *make_target(sink), progress);
    else
        vk = setup<Bls12_381>(KeyFamily::kBellman, circuit, random, sink, progress);
    write_bellman_vk(vk_path(folder, kind, shape), vk);
}

}  // namespace cuzk::filecoin
