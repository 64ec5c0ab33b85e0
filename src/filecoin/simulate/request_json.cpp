#include <array>

#include "filecoin/simulate/sector.hpp"
#include "filecoin/vanilla/base64.hpp"

namespace cuzk::filecoin {

std::string request_to_json(const ProofRequest& r) {
    constexpr std::array kKinds = {"PROOF_KIND_UNSPECIFIED", "POREP_SEAL_COMMIT", "SNAP_DEALS_UPDATE",
                                   "WINDOW_POST_PARTITION", "WINNING_POST"};
    std::string out = "{\"request_id\":\"" + r.request_id + "\",\"proof_kind\":\"" +
                      kKinds[static_cast<std::size_t>(r.kind)] +
                      "\",\"sector_size\":" + std::to_string(r.sector_size) +
                      ",\"registered_proof\":" + std::to_string(r.registered_proof) +
                      ",\"sector_number\":" + std::to_string(r.sector_number) +
                      ",\"miner_id\":" + std::to_string(r.miner_id) +
                      ",\"partition_index\":" + std::to_string(r.partition_index);
    const auto bytes = [&](const char* key, const std::vector<u8>& value) {
        if (!value.empty()) out += ",\"" + std::string(key) + "\":\"" + encode_base64(value) + '"';
    };
    bytes("vanilla_proof", r.vanilla_proof);
    bytes("randomness", r.randomness);
    bytes("comm_r_old", r.comm_r_old);
    bytes("comm_r_new", r.comm_r_new);
    bytes("comm_d_new", r.comm_d_new);
    if (!r.vanilla_proofs.empty()) {
        out += ",\"vanilla_proofs\":[";
        for (std::size_t i = 0; i < r.vanilla_proofs.size(); ++i) {
            if (i != 0) out += ',';
            out += '"' + encode_base64(r.vanilla_proofs[i]) + '"';
        }
        out += ']';
    }
    return out + "}\n";
}

}  // namespace cuzk::filecoin
