// cuzk filecoin plan: what each amount of device memory gives for the proofs of a circuit.
#include <fmt/core.h>

#include <memory>

#include "cli/app.hpp"
#include "cli/common.hpp"
#include "cli/device_options.hpp"
#include "cli/filecoin_options.hpp"
#include "cli/table.hpp"
#include "filecoin/prove/prove.hpp"
#include "gpu/backend.hpp"

namespace cuzk::cli {

namespace {

namespace fil = filecoin;
using gpu::MemoryPlan;
using gpu::Query;

struct Arguments {
    CommonOptions common;
    DeviceOptions device;
    std::string kind = "porep";
    std::string size;
};

constexpr u64 kGiB = u64{1} << 30;
// Usual cards.
constexpr std::array<u64, 7> kCards{8 * kGiB,  12 * kGiB, 16 * kGiB, 24 * kGiB,
                                    48 * kGiB, 80 * kGiB, 141 * kGiB};

const std::array<std::pair<const char*, Query>, gpu::kQueries> kQueryNames{
    {{"L", Query::kL}, {"A", Query::kA}, {"B1", Query::kBG1}, {"B2", Query::kBG2}, {"H", Query::kH}}};

// "L A B1 23% of B2"
std::string kept_text(const MemoryPlan& plan, const gpu::PerQuery& all) {
    std::string text;
    for (const auto& [name, q] : kQueryNames) {
        const std::size_t percent = all[q] == 0 ? 0 : plan.kept[q] * 100 / all[q];
        if (percent == 0) continue;
        if (!text.empty()) text += " ";
        text += percent == 100 ? name : fmt::format("{}% of {}", percent, name);
    }
    return text.empty() ? "nothing" : text;
}

Json plan_json(u64 limit, const std::optional<MemoryPlan>& plan) {
    if (!plan) return {{"limit", limit}, {"fits", false}};
    Json kept = Json::object();
    for (const auto& [name, q] : kQueryNames) kept[name] = plan->kept[q];
    return {{"limit", limit},
            {"fits", true},
            {"parked_vector", plan->parked},
            {"kept_points", kept},
            {"key_bytes", plan->key},
            {"working_bytes", plan->working},
            {"pinned_host_bytes", plan->host},
            {"piece_points", plan->piece},
            {"streamed_bytes", plan->streamed_bytes},
            {"bus_bytes", plan->bus}};
}

int plan(const Arguments& args) {
    const ThreadLimit threads(args.common.threads);
    const auto device = args.device.cuda_name();
    if (!device)
        throw Error(ErrorKind::kUsage, "--device " + args.device.device +
                                           " is the processor here, which has no memory of its own to plan "
                                           "with: name a GPU, such as cuda or cuda:1");
    const auto circuit = std::make_shared<const fil::CompiledCircuit>(
        fil::circuit_of_name(args.kind), fil::sector_shape(fil::parse_sector_size(args.size)));
    std::vector<u64> limits(kCards.begin(), kCards.end());
    if (const u64 limit = args.device.memory_limit(); limit != 0) limits = {limit};
    const auto plans = gpu::plan_proofs(*device, circuit, limits);
    if (args.common.json) {
        Json rows = Json::array();
        for (std::size_t i = 0; i < limits.size(); ++i) rows.push_back(plan_json(limits[i], plans[i]));
        fmt::print("{}\n", rows.dump(2));
        return 0;
    }
    // All points, of a plan that keeps them.
    constexpr u64 kEnough = u64{1} << 50;
    const gpu::PerQuery all = gpu::plan_proofs(*device, circuit, std::array{kEnough}).front()->kept;
    Table table(
        {"memory", "points that stay", ">key", ">proofs", ">pinned on the host", ">by the bus a proof"});
    for (std::size_t i = 0; i < limits.size(); ++i) {
        if (!plans[i]) {
            table.add({bytes_text(limits[i]), "too little", "", "", "", ""});
            continue;
        }
        const MemoryPlan& p = *plans[i];
        table.add({bytes_text(limits[i]), p.resident() ? "all" : kept_text(p, all), bytes_text(p.key),
                   bytes_text(p.working), p.host == 0 ? "" : bytes_text(p.host),
                   p.bus == 0 ? "" : bytes_text(p.bus)});
    }
    fmt::print("{}", table.text());
    return 0;
}

}  // namespace

void add_filecoin_plan(CLI::App& group, Action& action) {
    auto args = std::make_shared<Arguments>();
    CLI::App* command = group.add_subcommand(
        "plan",
        "What stays in a GPU's memory and what is streamed, for cards of 8 to 141 GiB or for --vram-limit");
    add_circuit_option(*command, args->kind)->capture_default_str();
    add_size_option(*command, args->size)->required();
    args->device.device = "cuda";
    command->add_option("--device", args->device.device, "cuda, cuda:NUMBER or a UUID")
        ->capture_default_str();
    command->add_option("--vram-limit", args->device.vram_limit,
                        "One amount of device memory, such as 16GiB");
    args->common.add_to(*command);
    command->callback([args, &action] { action = [args] { return plan(*args); }; });
}

}  // namespace cuzk::cli
