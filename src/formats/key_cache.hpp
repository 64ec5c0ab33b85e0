// Key caches (.cuzk-key): a parameter file's points once more, as processors and devices use them, so that loading the key is
// mapping a file. Made from a .params file (key_cache_writer.hpp), and worth nothing without it: whoever finds a cache stale or
// damaged goes back to the source.
//
// BLS12-381, keys of the bellman family. Numbers are little-endian.
//   header   "cuzk-key", u32 version, u32 curve, u32 family, u32 log2 of the domain, u64 header bytes, u64 file bytes,
//            u64 variables, u64 ic points, u64 points of h, l, a, b_g1, b_g2, u64 bytes and u64 time of change (ns) of the
//            source, u32 length of the circuit's name, u32 0, that name, zeros up to a multiple of 8;
//            alpha, beta, delta in G1, beta, gamma, delta in G2, ic; zeros up to a page of 4096 bytes
//   queries  h, l, a, b_g1, b_g2, each from a page on, zeros up to the next
//   trailer  SHA-256 of each query (over the SHA-256 of its chunks of 1 MiB), BLAKE2b-512 of the source, SHA-256 of the header
//            and the trailer so far
// Points are affine, x then y, as little-endian Montgomery limbs (curve/encoding.hpp, "raw"); none is infinity.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/byte_source.hpp"
#include "formats/bellman.hpp"
#include "formats/read_options.hpp"
#include "groth16/types.hpp"

namespace cuzk {

// What tells one state of a file from another without reading it.
struct FileStamp {
    u64 bytes = 0;
    u64 changed_ns = 0;  // modification time, nanoseconds since 1970

    // Throws Error(kEnvironment).
    static FileStamp of(const std::string& path);
    friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

// An opened cache. Immutable; cheap to copy.
class KeyCacheFile {
public:
    // Cheap, whatever the key's size: reads header and trailer, and checks their digest, every length, and the points of the
    // verifying key. Throws Error(kMalformed), or Error(kUnsupported) for another version, curve or family.
    explicit KeyCacheFile(ByteSource source);

    const ByteSource& source() const { return source_; }
    const std::string& circuit() const { return circuit_; }
    const FileStamp& made_from() const { return made_from_; }
    // BLAKE2b-512 of the file that it was made from: begins with what the network publishes of that file.
    std::span<const u8> source_digest() const { return source_digest_; }

    const VerifyingKey<Bls12_381>& vk() const { return vk_; }
    // h, l, a, b_g1, b_g2
    const std::array<ParamsQuery, 5>& queries() const { return queries_; }
    std::size_t variables() const { return variables_; }
    unsigned log_domain() const { return log_domain_; }

    // The key with its points where they lie in the file. They are not looked at: a proof from a damaged key does not verify.
    ProvingKey<Bls12_381> proving_key() const;

    // Reads everything: digests of the queries, and their points as far as asked for. Throws Error(kMalformed).
    void check(const ReadOptions& options = {}) const;
    // The digests alone, at the speed of the disk.
    void check_digests(Progress* progress = nullptr) const { check({PointChecks::kNone, progress}); }

private:
    std::span<const u8> query_bytes(std::size_t i) const;

    ByteSource source_;
    std::string circuit_;
    FileStamp made_from_;
    VerifyingKey<Bls12_381> vk_;
    std::array<ParamsQuery, 5> queries_;
    std::size_t variables_ = 0;
    unsigned log_domain_ = 0;
    std::span<const u8> query_digests_, source_digest_;
};

}  // namespace cuzk
