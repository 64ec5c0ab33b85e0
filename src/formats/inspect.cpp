#include "formats/inspect.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "formats/assignment.hpp"
#include "formats/bellman.hpp"
#include "formats/digest.hpp"
#include "formats/key_cache.hpp"
#include "formats/point_checks.hpp"
#include "formats/proof_bytes.hpp"
#include "formats/r1cs_file.hpp"
#include "formats/snarkjs_json.hpp"
#include "formats/wtns.hpp"
#include "formats/zkey.hpp"
#include "formats/zkey_sections.hpp"
#include "groth16/key_checks.hpp"

namespace cuzk {

namespace {

void add(InspectReport& report, Severity severity, std::string text) {
    report.findings.push_back({severity, std::move(text)});
}

template <class C>
void inspect_vk(InspectReport& report, const VerifyingKey<C>& vk) {
    report.facts["public_inputs"] = vk.public_inputs();
    if (const auto reason = forgeable(vk))
        add(report, Severity::kDanger, "anyone can forge proofs: " + *reason);
    const auto infinities =
        std::count_if(vk.ic.begin(), vk.ic.end(), [](const auto& p) { return p.is_infinity(); });
    if (infinities != 0)
        add(report, Severity::kWarning,
            fmt::format("{} IC points are infinity: the proof does not bind these public inputs",
                        infinities));
}

// The sections of an iden3 file by offset, and whether they stand in ascending order.
void list_sections(InspectReport& report, const Iden3Container& container) {
    u32 last = 0;
    bool ascending = true;
    for (const auto& section : container.sections()) {
        report.sections.push_back({container.label(section.id), section.offset, section.size});
        ascending = ascending && section.id > last;
        last = section.id;
    }
    report.facts["sections_ascending"] = ascending;
}

// Contributor names come from strangers: show nothing that could steer a terminal.
std::string printable(const std::string& text) {
    std::string out;
    for (const char c : text) out += c >= 0x20 && c < 0x7f ? c : '?';
    return out;
}

void inspect_transcript(InspectReport& report, const ZkeyTranscript& transcript) {
    report.facts["circuit_hash"] = hex_text(transcript.circuit_hash);
    report.facts["contributions"] = transcript.contributions.size();
    constexpr std::size_t kShown = 20;
    auto shown = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < std::min(kShown, transcript.contributions.size()); ++i) {
        const auto& c = transcript.contributions[i];
        std::string line = c.name.empty() ? "(unnamed)" : printable(c.name);
        if (c.beacon) line += fmt::format(" [beacon {}, 2^{}]", hex_text(c.beacon_hash), c.beacon_iterations);
        shown.push_back(line);
    }
    if (!shown.empty()) report.facts["contributors"] = shown;
    if (transcript.contributions.empty())
        add(report, Severity::kWarning, "nobody contributed to the second phase of the setup");
}

// Turns what a check of all points throws into a finding.
template <class Check>
void inspect_points(InspectReport& report, const Check& check, const char* fact = "all_points_checked") {
    try {
        check();
        report.facts[fact] = true;
    } catch (const Error& error) {
        add(report, Severity::kDanger, error.what());
    }
}

template <class C>
void inspect_zkey(InspectReport& report, const ByteSource& source, const InspectOptions& options) {
    const ZkeyFile<C> file(source);
    list_sections(report, file.container());
    report.made_by = "snarkjs (or a compatible tool)";
    report.facts["variables"] = file.variables();
    inspect_vk(report, file.vk());
    report.facts["private_variables"] = file.variables() - 1 - file.public_inputs();
    report.facts["log2_domain"] = file.log_domain();
    report.facts["coefficients"] = file.coefficients();
    nlohmann::ordered_json infinities;
    infinities["a"] = count_infinities(file.a());
    infinities["b_g1"] = count_infinities(file.b_g1());
    infinities["b_g2"] = count_infinities(file.b_g2());
    infinities["l"] = count_infinities(file.l());
    infinities["h"] = count_infinities(file.h());
    if (infinities["b_g1"] != infinities["b_g2"])
        add(report, Severity::kDanger, "the B queries in G1 and G2 do not have the same points at infinity");
    if (infinities["h"] != 0) add(report, Severity::kWarning, "the H query holds points at infinity");
    report.facts["points_at_infinity"] = std::move(infinities);
    if (const auto transcript = file.transcript())
        inspect_transcript(report, *transcript);
    else
        add(report, Severity::kWarning, "there is no setup transcript (section 10)");
    if (options.deep)
        inspect_points(report, [&] {
            const auto key = file.proving_key({PointChecks::kSubgroup, options.progress});
            report.facts["rows"] = key.a_matrix->rows();
        });
}

void inspect_params(InspectReport& report, const ByteSource& source, const InspectOptions& options) {
    const ParamsFile file(source);
    report.made_by =
        file.transcript().empty() ? "bellman or bellperson" : "bellman or bellperson, from a ceremony";
    inspect_vk(report, file.vk());
    report.facts["variables"] = file.variables();
    report.facts["private_variables"] = file.queries()[1].count;
    report.facts["log2_domain"] = file.log_domain();
    report.sections.push_back({"verifying key", 0, file.queries()[0].offset - 4});
    for (const auto& query : file.queries()) {
        report.facts[fmt::format("{}_points", query.name)] = query.count;
        report.sections.push_back(
            {fmt::format("{} query", query.name), query.offset, query.count * query.point_bytes});
    }
    if (!file.transcript().empty()) {
        const auto transcript = file.transcript();
        report.sections.push_back(
            {"setup transcript", source.bytes.size() - transcript.size(), transcript.size()});
        report.facts["circuit_hash"] = hex_text(transcript.first(64));
        report.facts["contributions"] = file.contributions();
        report.facts["sha256_without_transcript"] =
            hex_text(sha256(source.bytes.first(source.bytes.size() - transcript.size())));
    }
    if (options.deep)
        inspect_points(report, [&] { file.proving_key({PointChecks::kSubgroup, options.progress}); });
}

void inspect_key_cache(InspectReport& report, const ByteSource& source, const InspectOptions& options) {
    const KeyCacheFile file(source);
    report.made_by = "cuzk";
    inspect_vk(report, file.vk());
    report.facts["circuit"] = printable(file.circuit());
    report.facts["variables"] = file.variables();
    report.facts["private_variables"] = file.queries()[1].count;
    report.facts["log2_domain"] = file.log_domain();
    report.facts["source_bytes"] = file.made_from().bytes;
    report.facts["source_blake2b"] = hex_text(file.source_digest());
    report.sections.push_back({"header and verifying key", 0, file.queries()[0].offset});
    for (const auto& query : file.queries()) {
        report.facts[fmt::format("{}_points", query.name)] = query.count;
        report.sections.push_back(
            {fmt::format("{} query", query.name), query.offset, query.count * query.point_bytes});
    }
    // Its own digests cost less than those that every report ends with.
    inspect_points(
        report,
        [&] {
            file.check({options.deep ? PointChecks::kSubgroup : PointChecks::kNone, options.progress});
        },
        options.deep ? "all_points_checked" : "digests_match");
}

void inspect_r1cs(InspectReport& report, const ByteSource& source, const InspectOptions& options) {
    const R1csHeader header = read_r1cs_header(source);
    report.made_by = "circom";
    report.facts["constraints"] = header.constraints;
    report.facts["wires"] = header.wires;
    report.facts["public_outputs"] = header.public_outputs;
    report.facts["public_inputs"] = header.public_inputs;
    report.facts["private_inputs"] = header.private_inputs;
    report.facts["labels"] = header.labels;
    with_curve(header.curve, [&]<class C>(C) {
        const auto file = read_r1cs<C>(source, options.progress);
        report.facts["nonzeros"] = {file.system.a.nonzeros(), file.system.b.nonzeros(),
                                    file.system.c.nonzeros()};
    });
}

template <class C>
void inspect_wtns(InspectReport& report, const ByteSource& source) {
    const auto values = read_wtns<C>(source);
    report.made_by = "circom's witness generator, or snarkjs";
    report.facts["values"] = values.size();
    const auto count = [&](auto&& is) { return std::count_if(values.begin(), values.end(), is); };
    report.facts["zeros"] = count([](const auto& x) { return x.is_zero(); });
    report.facts["ones"] = count([](const auto& x) { return x.is_one(); });
}

void inspect_assignment(InspectReport& report, const ByteSource& source) {
    const auto assignment = read_assignment(source);
    report.facts["inputs"] = assignment.inputs;
    report.facts["private_variables"] = assignment.aux();
    report.facts["rows"] = assignment.a.size();
    report.facts["a_aux_density"] = assignment.a_aux.count();
    report.facts["b_inputs_density"] = assignment.b_inputs.count();
    report.facts["b_aux_density"] = assignment.b_aux.count();
    for (std::size_t i = 0; i < assignment.a.size(); ++i) {
        if (assignment.a[i] * assignment.b[i] == assignment.c[i] ||
            i + assignment.inputs >= assignment.a.size())
            continue;
        add(report, Severity::kDanger, fmt::format("row {} is not satisfied: a b is not c", i));
        break;
    }
}

// Section table alone.
void inspect_ptau(InspectReport& report, const ByteSource& source) {
    report.made_by = "snarkjs";
    list_sections(report, Iden3Container(source, "ptau", 1, {}));
    add(report, Severity::kNote, "powers of tau are not used by this program");
}

template <class C>
void inspect_vk_json(InspectReport& report, const ByteSource& source) {
    const auto vk = read_vk_json<C>(source);
    report.made_by = "snarkjs (or a compatible tool)";
    inspect_vk(report, vk);
    if (vk_json_alphabeta_matches<C>(source, vk) == false)
        add(report, Severity::kDanger, "vk_alphabeta_12 is not the pairing of alpha and beta");
}

void inspect_kind(InspectReport& report, const ByteSource& source, const InspectOptions& options) {
    // A file that names no curve is read as the older tools meant it.
    const CurveId curve = report.curve.value_or(CurveId::kBn254);
    switch (report.kind) {
        case FileKind::kZkey:
            return with_curve(zkey_curve(source),
                              [&]<class C>(C) { inspect_zkey<C>(report, source, options); });
        case FileKind::kWtns:
            return with_curve(wtns_curve(source), [&]<class C>(C) { inspect_wtns<C>(report, source); });
        case FileKind::kR1cs: return inspect_r1cs(report, source, options);
        case FileKind::kPtau: return inspect_ptau(report, source);
        case FileKind::kParams: return inspect_params(report, source, options);
        case FileKind::kKeyCache: return inspect_key_cache(report, source, options);
        case FileKind::kBellmanVk:
            report.made_by = "bellman or bellperson";
            return inspect_vk(report, read_bellman_vk(source));
        case FileKind::kProofBytes:
            report.made_by = "bellman or bellperson";
            report.facts["proofs"] = read_proof_bytes(source).size();
            return;
        case FileKind::kAssignment: return inspect_assignment(report, source);
        case FileKind::kProofJson:
            json_curve(source);  // a curve or protocol that is not ours is an error here
            report.made_by = "snarkjs (or a compatible tool)";
            return with_curve(curve, [&]<class C>(C) { read_proof_json<C>(source); });
        case FileKind::kVkJson:
            json_curve(source);
            return with_curve(curve, [&]<class C>(C) { inspect_vk_json<C>(report, source); });
        case FileKind::kPublicJson:
            // Numbers below the larger of the two moduli; which curve they belong to, the file does not say.
            report.facts["public_inputs"] = read_public_json<Bls12_381>(source).size();
            return;
        case FileKind::kUnknown: add(report, Severity::kNote, "no known kind of file"); return;
    }
}

const char* severity_name(Severity severity) {
    switch (severity) {
        case Severity::kNote: return "note";
        case Severity::kWarning: return "warning";
        case Severity::kDanger: break;
    }
    return "danger";
}

}  // namespace

bool InspectReport::has_danger() const {
    return std::any_of(findings.begin(), findings.end(),
                       [](const auto& f) { return f.severity == Severity::kDanger; });
}

InspectReport inspect(const ByteSource& source, const InspectOptions& options) {
    InspectReport report;
    const DetectedFile detected = detect(source);
    report.path = source.name;
    report.kind = detected.kind;
    report.curve = detected.curve;
    report.size = source.bytes.size();
    report.facts = nlohmann::ordered_json::object();
    inspect_kind(report, source, options);
    report.sha256 = hex_text(sha256(source.bytes));
    report.blake2b = hex_text(blake2b_512(source.bytes));
    return report;
}

std::string to_json(const InspectReport& report) {
    nlohmann::ordered_json out;
    out["path"] = report.path;
    out["kind"] = kind_name(report.kind);
    out["curve"] =
        report.curve ? nlohmann::ordered_json(curve_name(*report.curve)) : nlohmann::ordered_json();
    out["size"] = report.size;
    if (!report.made_by.empty()) out["made_by"] = report.made_by;
    out["facts"] = report.facts;
    out["sections"] = nlohmann::ordered_json::array();
    for (const auto& s : report.sections)
        out["sections"].push_back({{"name", s.name}, {"offset", s.offset}, {"size", s.size}});
    out["findings"] = nlohmann::ordered_json::array();
    for (const auto& f : report.findings)
        out["findings"].push_back({{"severity", severity_name(f.severity)}, {"text", f.text}});
    out["sha256"] = report.sha256;
    out["blake2b"] = report.blake2b;
    // a path need not be UTF-8
    return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string to_text(const InspectReport& report) {
    std::string out;
    const auto line = [&](std::string_view name, std::string_view value) {
        out += fmt::format("{:<22} {}\n", name, value);
    };
    line("file", report.path);
    line("kind", fmt::format("{} ({})", kind_description(report.kind), kind_name(report.kind)));
    if (report.curve) line("curve", curve_name(*report.curve));
    line("size", fmt::format("{} bytes", report.size));
    if (!report.made_by.empty()) line("written by", report.made_by);
    for (const auto& [name, value] : report.facts.items()) {
        std::string label = name;
        std::replace(label.begin(), label.end(), '_', ' ');
        if (value.is_array() && !value.empty() && value[0].is_string()) {
            std::string_view head = label;
            for (const auto& entry : value) {
                line(head, entry.get<std::string>());
                head = "";
            }
        } else {
            line(label, value.is_string() ? value.get<std::string>() : value.dump());
        }
    }
    line("sha256", report.sha256);
    line("blake2b", report.blake2b);
    if (!report.sections.empty()) out += fmt::format("\n{:>14} {:>14}  section\n", "offset", "bytes");
    for (const auto& s : report.sections)
        out += fmt::format("{:>#14x} {:>14}  {}\n", s.offset, s.size, s.name);
    if (!report.findings.empty()) out += "\n";
    for (const auto& f : report.findings) out += fmt::format("{}: {}\n", severity_name(f.severity), f.text);
    return out;
}

}  // namespace cuzk
