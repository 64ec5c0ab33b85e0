// The digests by which two constraint systems are compared row by row.
#pragma once

#include <openssl/evp.h>

#include <memory>
#include <string>
#include <vector>

#include "filecoin/cs/structure.hpp"
#include "formats/digest.hpp"

namespace cuzk::filecoin {

class Digest {
public:
    explicit Digest(const EVP_MD* kind) : context_(EVP_MD_CTX_new()) {
        EVP_DigestInit_ex(context_.get(), kind, nullptr);
    }
    void update(const std::vector<u8>& bytes) {
        EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
    }
    // Of everything so far; more may follow.
    std::string hex() const {
        const std::unique_ptr<EVP_MD_CTX, Free> copy(EVP_MD_CTX_new());
        EVP_MD_CTX_copy_ex(copy.get(), context_.get());
        std::vector<u8> out(EVP_MAX_MD_SIZE);
        unsigned size = 0;
        EVP_DigestFinal_ex(copy.get(), out.data(), &size);
        return hex_text(std::span(out).first(size));
    }

private:
    struct Free {
        void operator()(EVP_MD_CTX* c) const { EVP_MD_CTX_free(c); }
    };
    std::unique_ptr<EVP_MD_CTX, Free> context_;
};

struct StructureDigests {
    std::string tcs_blake2s;         // big-endian form, with a header of counts
    std::string constraints_sha256;  // little-endian form
    std::vector<std::string>
        checkpoints;  // 16 digits of the running SHA-256 every `interval` rows and at the end
    u64 nnz[3] = {};
};

inline StructureDigests digest_structure(const InstancedR1cs& r1cs, u64 interval, bool with_blake2s) {
    const auto be = [](std::vector<u8>& out, u64 x) {
        for (int i = 56; i >= 0; i -= 8) out.push_back(static_cast<u8>(x >> i));
    };
    const auto le = [](std::vector<u8>& out, u64 x, int bytes) {
        for (int i = 0; i < bytes; ++i) out.push_back(static_cast<u8>(x >> (8 * i)));
    };
    std::vector<std::array<u8, 32>> coefficients_le(r1cs.coefficients.size());
    for (u32 i = 0; i < coefficients_le.size(); ++i) r1cs.coefficients[i].to_bytes_le(coefficients_le[i]);

    StructureDigests result;
    Digest blake(EVP_blake2s256());
    Digest sha(EVP_sha256());
    std::vector<u8> blake_bytes, sha_bytes;
    be(blake_bytes, r1cs.inputs);
    be(blake_bytes, r1cs.aux);
    be(blake_bytes, r1cs.constraints);
    const auto flush = [&] {
        sha.update(sha_bytes);
        sha_bytes.clear();
        if (with_blake2s) blake.update(blake_bytes);
        blake_bytes.clear();
    };
    r1cs.for_each_row([&](u64 row, auto a, auto b, auto c) {
        for (const auto& [side, m] : {std::pair{a, 0}, std::pair{b, 1}, std::pair{c, 2}}) {
            result.nnz[m] += side.size();
            le(sha_bytes, side.size(), 4);
            if (with_blake2s) be(blake_bytes, side.size());
            for (const auto& e : side) {
                const auto& k = coefficients_le[e.coefficient];
                sha_bytes.push_back(e.var.is_input() ? 0 : 1);
                le(sha_bytes, e.var.index(), 8);
                sha_bytes.insert(sha_bytes.end(), k.begin(), k.end());
                if (!with_blake2s) continue;
                blake_bytes.push_back(e.var.is_input() ? 'I' : 'A');
                be(blake_bytes, e.var.index());
                blake_bytes.insert(blake_bytes.end(), k.rbegin(), k.rend());
            }
        }
        const bool checkpoint = (row + 1) % interval == 0 || row + 1 == r1cs.constraints;
        if (checkpoint || sha_bytes.size() > (1u << 16)) flush();
        if (checkpoint) result.checkpoints.push_back(sha.hex().substr(0, 16));
    });
    result.constraints_sha256 = sha.hex();
    if (with_blake2s) result.tcs_blake2s = blake.hex();
    return result;
}

}  // namespace cuzk::filecoin
