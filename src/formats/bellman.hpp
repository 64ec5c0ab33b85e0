// Parameter files (.params) and verifying keys (.vk) of bellman and bellperson, BLS12-381: what Zcash and Filecoin use.
//
// All points are in the Zcash uncompressed encoding (curve/encoding.hpp), counts are big-endian u32.
//   .vk      alpha1 beta1 beta2 gamma2 delta1 delta2, count, ic
//   .params  the same, then count and points of each of h, l, a, b_g1, b_g2; files from a ceremony go on with a transcript:
//            64-byte circuit hash, count, contributions of 544 bytes
// Points of the queries and of ic are never infinity, as bellman's own reader demands.
#pragma once

#include <array>
#include <string>

#include "base/byte_source.hpp"
#include "base/output_file.hpp"
#include "formats/read_options.hpp"
#include "groth16/key_sink.hpp"
#include "groth16/types.hpp"

namespace cuzk {

// One array of points in a .params file.
struct ParamsQuery {
    const char* name = "";
    u64 offset = 0;  // of the first point
    u64 count = 0;
    u64 point_bytes = 0;
};

// An opened parameter file. Opening walks the counts and checks them against the file's length, and decodes the
// verifying key with every check. Immutable; cheap to copy.
class ParamsFile {
public:
    static constexpr std::size_t kContributionBytes = 544;

    // Throws Error(kMalformed).
    explicit ParamsFile(ByteSource source);

    const ByteSource& source() const { return source_; }
    const VerifyingKey<Bls12_381>& vk() const { return vk_; }
    // h, l, a, b_g1, b_g2
    const std::array<ParamsQuery, 5>& queries() const { return queries_; }
    std::size_t variables() const { return static_cast<std::size_t>(vk_.ic.size() + queries_[1].count); }
    unsigned log_domain() const { return log_domain_; }

    // The bytes after the last query, empty if there are none; and the contributions in them.
    std::span<const u8> transcript() const { return transcript_; }
    std::size_t contributions() const;

    // Decodes out.size() points of a query from `first` on, in parallel: what the key as a whole is read with. Infinity is
    // refused. The bytes leave memory (ByteSource::release).
    template <class G>
    void read_points(const ParamsQuery& query, std::size_t first, std::span<Affine<G>> out,
                     PointChecks checks) const;

    // Decodes every point, in parallel, into memory of the queries' size that the key keeps.
    ProvingKey<Bls12_381> proving_key(const ReadOptions& options = {PointChecks::kSubgroup, nullptr}) const;

private:
    ByteSource source_;
    VerifyingKey<Bls12_381> vk_;
    std::array<ParamsQuery, 5> queries_;
    std::span<const u8> transcript_;
    unsigned log_domain_ = 0;
};

extern template void ParamsFile::read_points(const ParamsQuery&, std::size_t, std::span<Affine<Bls12_381G1>>,
                                             PointChecks) const;
extern template void ParamsFile::read_points(const ParamsQuery&, std::size_t, std::span<Affine<Bls12_381G2>>,
                                             PointChecks) const;

inline ProvingKey<Bls12_381> read_params(ByteSource source,
                                         const ReadOptions& options = {PointChecks::kSubgroup, nullptr}) {
    return ParamsFile(std::move(source)).proving_key(options);
}

// beta_g1 and delta_g1 may be infinity (absent): verifiers do not use them.
VerifyingKey<Bls12_381> read_bellman_vk(const ByteSource& source);
void write_bellman_vk(const std::string& path, const VerifyingKey<Bls12_381>& vk);

// Streams a kBellman key into a .params file; nothing appears under `path` before end() has returned.
class ParamsSink final : public KeySink<Bls12_381> {
public:
    explicit ParamsSink(std::string path, std::span<const u8> transcript = {})
        : file_(std::move(path)), transcript_(transcript.begin(), transcript.end()) {}

    void begin(const KeyHeader<Bls12_381>& header) override;
    void begin_query(Query query, std::size_t points) override;
    void add(std::span<const Affine<Bls12_381G1>> points) override;
    void add(std::span<const Affine<Bls12_381G2>> points) override;
    void end() override;

private:
    OutputFile file_;
    std::vector<u8> transcript_;
    std::size_t queries_ = 0;
    std::size_t points_left_ = 0;
};

void write_params(const std::string& path, const ProvingKey<Bls12_381>& key,
                  std::span<const u8> transcript = {});

}  // namespace cuzk
