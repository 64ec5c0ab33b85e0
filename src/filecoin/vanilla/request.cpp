#include "filecoin/vanilla/request.hpp"

#include <simdjson.h>

#include <charconv>
#include <functional>
#include <map>

#include "base/error.hpp"
#include "filecoin/vanilla/base64.hpp"

namespace cuzk::filecoin {

namespace {

namespace od = simdjson::ondemand;

[[noreturn]] void fail(const std::string& where, const std::string& reason) {
    throw Error(ErrorKind::kMalformed, where + ": " + reason);
}

std::string_view text(od::value& v, const std::string& where) {
    std::string_view s;
    if (v.get_string().get(s) != simdjson::SUCCESS) fail(where, "is no string");
    return s;
}

u64 number(od::value& v, const std::string& where) {
    u64 n = 0;
    if (v.get_uint64().get(n) == simdjson::SUCCESS) return n;
    const std::string_view s = text(v, where);
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n);
    if (error != std::errc() || end != s.data() + s.size()) fail(where, "is no unsigned 64-bit number");
    return n;
}

u32 number32(od::value& v, const std::string& where) {
    const u64 n = number(v, where);
    if (n > 0xffffffff) fail(where, "is no unsigned 32-bit number");
    return static_cast<u32>(n);
}

u64 enumerator(od::value& v, const std::string& where, const std::map<std::string_view, u64>& names) {
    u64 n = 0;
    if (v.get_uint64().get(n) == simdjson::SUCCESS) return n;
    const std::string_view s = text(v, where);
    const auto it = names.find(s);
    if (it == names.end()) fail(where, "has the unknown value '" + std::string(s) + "'");
    return it->second;
}

// vanilla_proof, vanillaProof -> vanilla_proof
std::string snake_case(std::string_view name) {
    std::string out;
    for (const char c : name) {
        if (c >= 'A' && c <= 'Z') {
            out += '_';
            out += static_cast<char>(c - 'A' + 'a');
        } else {
            out += c;
        }
    }
    return out;
}

const std::map<std::string_view, u64> kKindNames = {{"PROOF_KIND_UNSPECIFIED", 0},
                                                    {"POREP_SEAL_COMMIT", 1},
                                                    {"SNAP_DEALS_UPDATE", 2},
                                                    {"WINDOW_POST_PARTITION", 3},
                                                    {"WINNING_POST", 4}};

using Reader = std::function<void(od::value&, const std::string&)>;

std::map<std::string, Reader> readers(ProofRequest& r) {
    const std::map<std::string_view, u64> priorities = {
        {"PRIORITY_UNSPECIFIED", 0}, {"LOW", 1}, {"NORMAL", 2}, {"HIGH", 3}, {"CRITICAL", 4}};
    const auto bytes = [](std::vector<u8>& out) -> Reader {
        return [&out](od::value& v, const std::string& where) { out = decode_base64(text(v, where), where); };
    };
    const auto u64_field = [](u64& out) -> Reader {
        return [&out](od::value& v, const std::string& where) { out = number(v, where); };
    };
    return {
        {"request_id", [&r](od::value& v, const std::string& where) { r.request_id = text(v, where); }},
        {"proof_kind",
         [&r](od::value& v, const std::string& where) {
             const u64 kind = enumerator(v, where, kKindNames);
             if (kind < 1 || kind > 4) fail(where, "names no kind of proof");
             r.kind = static_cast<ProofKind>(kind);
         }},
        {"sector_size", u64_field(r.sector_size)},
        {"registered_proof", u64_field(r.registered_proof)},
        {"priority",
         [&r, priorities](od::value& v, const std::string& where) {
             const u64 priority = enumerator(v, where, priorities);
             if (priority > 4) fail(where, "names no priority");
             r.priority = static_cast<u32>(priority);
         }},
        {"vanilla_proof", bytes(r.vanilla_proof)},
        {"vanilla_proofs",
         [&r](od::value& v, const std::string& where) {
             od::array list;
             if (v.get_array().get(list) != simdjson::SUCCESS) fail(where, "is no array");
             for (auto item : list) {
                 od::value blob;
                 if (item.get(blob) != simdjson::SUCCESS) fail(where, "is broken JSON");
                 const std::string here = where + " " + std::to_string(r.vanilla_proofs.size());
                 r.vanilla_proofs.push_back(decode_base64(text(blob, here), here));
             }
         }},
        {"sector_number", u64_field(r.sector_number)},
        {"miner_id", u64_field(r.miner_id)},
        {"randomness", bytes(r.randomness)},
        {"partition_index",
         [&r](od::value& v, const std::string& where) { r.partition_index = number32(v, where); }},
        {"comm_r_old", bytes(r.comm_r_old)},
        {"comm_r_new", bytes(r.comm_r_new)},
        {"comm_d_new", bytes(r.comm_d_new)},
    };
}

}  // namespace

std::optional<ProofKind> proof_kind(std::string_view name) {
    const auto known = kKindNames.find(name);
    if (known == kKindNames.end() || known->second == 0) return std::nullopt;
    return static_cast<ProofKind>(known->second);
}

ProofRequest parse_request(std::span<const u8> json, const std::string& name) {
    const simdjson::padded_string padded(reinterpret_cast<const char*>(json.data()), json.size());
    od::parser parser;
    od::document document;
    od::object object;
    if (const auto error = parser.iterate(padded).get(document)) fail(name, simdjson::error_message(error));
    if (document.get_object().get(object) != simdjson::SUCCESS) fail(name, "is no JSON object");

    ProofRequest request;
    const auto known = readers(request);
    bool has_kind = false;
    for (auto entry : object) {
        std::string_view key;
        if (const auto error = entry.unescaped_key().get(key)) fail(name, simdjson::error_message(error));
        if (key == "Phase1Out" || key == "vanilla_proofs" || key == "registered_proof" ||
            key == "SectorNum") {
            // Keys that tell a C1 file from a request; two of them stand in both, told apart by the type of their values.
            od::value v;
            if (entry.value().get(v) != simdjson::SUCCESS) fail(name, "is broken JSON");
            od::json_type type{};
            if (v.type().get(type) != simdjson::SUCCESS) fail(name, "is broken JSON");
            const bool c1 = key == "Phase1Out" || key == "SectorNum" ||
                            (key == "vanilla_proofs" && type == od::json_type::object) ||
                            (key == "registered_proof" && type == od::json_type::string);
            if (c1) {
                ProofRequest porep;
                porep.request_id = name;
                porep.vanilla_proof.assign(json.begin(), json.end());
                return porep;
            }
            known.at(std::string(key))(v, name + ": " + std::string(key));
            continue;
        }
        const auto reader = known.find(snake_case(key));
        if (reader == known.end()) fail(name, "unknown field '" + std::string(key) + "'");
        od::value v;
        if (const auto error = entry.value().get(v)) fail(name, simdjson::error_message(error));
        has_kind = has_kind || reader->first == "proof_kind";
        reader->second(v, name + ": " + reader->first);
    }
    if (!has_kind) fail(name, "proof_kind is missing");
    return request;
}

}  // namespace cuzk::filecoin
