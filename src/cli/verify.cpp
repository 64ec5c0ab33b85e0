// cuzk verify: one proof, or a folder of them as a batch.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "cli/app.hpp"
#include "cli/common.hpp"
#include "cli/table.hpp"
#include "cli/terminal_progress.hpp"
#include "formats/convert.hpp"
#include "formats/proof_bytes.hpp"
#include "formats/snarkjs_json.hpp"
#include "groth16/verifier.hpp"

namespace cuzk::cli {

namespace {

namespace fs = std::filesystem;

struct VerifyArguments {
    CommonOptions common;
    std::string vk, inputs, proof;
    bool allow_insecure_key = false;
};

enum class Verdict { kValid, kInvalid, kMalformed };

constexpr const char* verdict_name(Verdict verdict) {
    switch (verdict) {
        case Verdict::kValid: return "valid";
        case Verdict::kInvalid: return "INVALID";
        case Verdict::kMalformed: return "malformed";
    }
    return "?";
}

// One case of a folder: a proof and its public inputs.
struct Case {
    std::string name;
    fs::path proof, inputs;
};

struct Outcome {
    std::string name;
    Verdict verdict = Verdict::kValid;
    std::string reason;
};

// Cases are sub-folders that hold proof.json (or proof.bin) and public.json, and pairs NAME.proof.json (or
// NAME.proof.bin), NAME.public.json; in order of their names.
std::vector<Case> find_cases(const fs::path& folder) {
    std::vector<Case> cases;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        for (const std::string file : {"proof.json", "proof.bin"}) {
            if (entry.is_directory()) {
                if (fs::exists(entry.path() / file))
                    cases.push_back({name, entry.path() / file, entry.path() / "public.json"});
            } else if (name == file) {
                cases.push_back({folder.filename().string(), entry.path(), folder / "public.json"});
            } else if (name.ends_with("." + file)) {
                const std::string stem = name.substr(0, name.size() - file.size() - 1);
                cases.push_back({stem, entry.path(), folder / (stem + ".public.json")});
            }
        }
    }
    std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.name < b.name; });
    return cases;
}

template <class C>
Statement<C> read_statement(const std::string& proof, const std::string& inputs) {
    return {read_any_proof<C>(ByteSource::open(proof)), read_public_json<C>(ByteSource::open(inputs))};
}

template <class C>
int verify_one(const VerifyArguments& args, const Verifier<C>& verifier) {
    const Statement<C> statement = read_statement<C>(args.proof, args.inputs);
    const bool valid = verifier.verify(statement);
    const std::string reason = valid ? "" : verifier.invalid_reason(statement.inputs.size());
    if (args.common.json) {
        Json result{{"valid", valid}};
        if (!valid) result["reason"] = reason;
        fmt::print("{}\n", result.dump(2));
    } else if (valid) {
        fmt::print("valid\n");
    } else {
        fmt::print("INVALID: {}\n", reason);
    }
    return valid ? 0 : exit_code(ErrorKind::kUnsatisfied);
}

template <class C>
std::vector<Outcome> judge(const Verifier<C>& verifier, const std::vector<Case>& cases, Progress* progress) {
    std::vector<Outcome> outcomes;
    std::vector<Statement<C>> statements;
    std::vector<std::size_t> case_of;  // of a statement
    for (const Case& item : cases) {
        report_progress(progress, "reading proofs", outcomes.size(), cases.size());
        Outcome outcome{item.name, Verdict::kValid, ""};
        try {
            statements.push_back(read_statement<C>(item.proof.string(), item.inputs.string()));
            case_of.push_back(outcomes.size());
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::kMalformed && error.kind() != ErrorKind::kUnsupported) throw;
            outcome.verdict = Verdict::kMalformed;
            outcome.reason = error.what();
        }
        outcomes.push_back(std::move(outcome));
    }
    report_progress(progress, "verifying", 0, 1);
    OsRandom random;
    for (const std::size_t i : verifier.find_invalid(statements, random)) {
        outcomes[case_of[i]].verdict = Verdict::kInvalid;
        outcomes[case_of[i]].reason = verifier.invalid_reason(statements[i].inputs.size());
    }
    return outcomes;
}

template <class C>
int verify_folder(const VerifyArguments& args, const Verifier<C>& verifier) {
    const std::vector<Case> cases = find_cases(args.inputs);
    if (cases.empty())
        throw Error(ErrorKind::kMalformed,
                    args.inputs +
                        ": no cases here (folders with proof.json and public.json, or pairs "
                        "NAME.proof.json, NAME.public.json)");
    std::vector<Outcome> outcomes;
    {
        TerminalProgress progress;
        outcomes = judge(verifier, cases, &progress);
    }
    const auto count = [&](Verdict verdict) {
        return std::count_if(outcomes.begin(), outcomes.end(),
                             [&](const Outcome& o) { return o.verdict == verdict; });
    };
    const auto invalid = count(Verdict::kInvalid);
    const auto malformed = count(Verdict::kMalformed);
    if (args.common.json) {
        Json list = Json::array();
        for (const Outcome& o : outcomes) {
            Json item{{"case", o.name}, {"verdict", verdict_name(o.verdict)}};
            if (!o.reason.empty()) item["reason"] = o.reason;
            list.push_back(std::move(item));
        }
        fmt::print(
            "{}\n",
            Json{{"proofs", outcomes.size()}, {"invalid", invalid}, {"malformed", malformed}, {"cases", list}}
                .dump(2));
    } else {
        Table table({"case", "verdict", "reason"});
        for (const Outcome& o : outcomes)
            if (o.verdict != Verdict::kValid) table.add({o.name, verdict_name(o.verdict), o.reason});
        if (invalid + malformed > 0) fmt::print("{}", table.text());
        fmt::print("{} proofs: {} valid, {} invalid, {} malformed\n", outcomes.size(), count(Verdict::kValid),
                   invalid, malformed);
    }
    if (invalid > 0) return exit_code(ErrorKind::kUnsatisfied);
    return malformed > 0 ? exit_code(ErrorKind::kMalformed) : 0;
}

template <class C>
int verify_with(const VerifyArguments& args, const ByteSource& source) {
    VerifyingKey<C> vk = read_any_vk<C>(source);
    refuse_forgeable(vk, args.vk, args.allow_insecure_key);
    const Verifier<C> verifier(std::move(vk));
    return args.proof.empty() ? verify_folder(args, verifier) : verify_one(args, verifier);
}

int verify(const VerifyArguments& args) {
    const ThreadLimit limit(args.common.threads);
    if (args.proof.empty() && !fs::is_directory(args.inputs))
        throw Error(ErrorKind::kUsage, "give VK PUBLIC PROOF, or VK and a folder of cases");
    const ByteSource source = ByteSource::open(args.vk);
    const DetectedFile file =
        expect_kind(source, {FileKind::kVkJson, FileKind::kBellmanVk, FileKind::kZkey, FileKind::kParams});
    return with_curve(curve_of(file, args.vk),
                      [&](auto c) { return verify_with<decltype(c)>(args, source); });
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
    auto args = std::make_shared<VerifyArguments>();
    CLI::App* command = app.add_subcommand(
        "verify",
        "Verify a proof (VK PUBLIC PROOF, as snarkjs), or all proofs of a folder at once (VK FOLDER).");
    command->add_option("vk", args->vk, "Verifying key: verification_key.json, bellman .vk, or a proving key")
        ->required();
    command->add_option("public", args->inputs, "public.json, or a folder of cases")->required();
    command->add_option("proof", args->proof, "proof.json, or a 192-byte proof");
    command->add_flag("--allow-insecure-key", args->allow_insecure_key,
                      "Use a key under which anyone can forge proofs");
    args->common.add_to(*command);
    command->callback([args, &action] { action = [args] { return verify(*args); }; });
}

}  // namespace cuzk::cli
