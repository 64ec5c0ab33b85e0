#include "formats/bellman.hpp"

#include <fmt/format.h>

#include <bit>
#include <memory>

#include "base/byte_reader.hpp"
#include "base/large_vector.hpp"
#include "base/parallel.hpp"
#include "formats/bellman_layout.hpp"

namespace cuzk {

using namespace bellman;
using G1 = Bls12_381G1;
using G2 = Bls12_381G2;

namespace {

constexpr u8 kInfinityFlag = 0x40;

DecodeChecks decode_checks(PointChecks checks) {
    switch (checks) {
        case PointChecks::kNone: return DecodeChecks::kEncoding;
        case PointChecks::kCurve: return DecodeChecks::kCurve;
        case PointChecks::kSubgroup: break;
    }
    return DecodeChecks::kSubgroup;
}

enum class Infinity { kRefused, kAbsent };

template <class G>
Affine<G> read_point(ByteReader& reader, const std::string& name, Infinity infinity) {
    const u64 at = reader.offset();
    Affine<G> point;
    const auto bytes = reader.take(kUncompressedBytes<G>, name);
    const auto error = decode_uncompressed<G>(bytes.template first<kUncompressedBytes<G>>(), point);
    if (error != PointError::kNone) reader.fail_at(at, fmt::format("{} {}", name, describe(error)));
    if (point.is_infinity() && infinity == Infinity::kRefused)
        reader.fail_at(at, fmt::format("{} is the point at infinity", name));
    return point;
}

VerifyingKey<Bls12_381> read_vk(ByteReader& reader) {
    reader.set_section("verifying key");
    VerifyingKey<Bls12_381> vk;
    vk.alpha_g1 = read_point<G1>(reader, "alpha in G1", Infinity::kRefused);
    vk.beta_g1 = read_point<G1>(reader, "beta in G1", Infinity::kAbsent);
    vk.beta_g2 = read_point<G2>(reader, "beta in G2", Infinity::kRefused);
    vk.gamma_g2 = read_point<G2>(reader, "gamma in G2", Infinity::kRefused);
    vk.delta_g1 = read_point<G1>(reader, "delta in G1", Infinity::kAbsent);
    vk.delta_g2 = read_point<G2>(reader, "delta in G2", Infinity::kRefused);
    const u64 count_at = reader.offset();
    const u32 count = reader.read_u32_be("the number of ic points");
    if (count == 0) reader.fail_at(count_at, "there is no ic point, not even for the constant one");
    reader.require_items(count, kG1Bytes, "ic points");
    vk.ic.reserve(count);
    for (u32 i = 0; i < count; ++i)
        vk.ic.push_back(read_point<G1>(reader, fmt::format("ic point {}", i), Infinity::kRefused));
    return vk;
}

// Points decoded into a buffer of their own.
template <class G>
class DecodedQuery {
public:
    DecodedQuery() = default;
    explicit DecodedQuery(std::size_t count) : points_(count) {}
    std::span<Affine<G>> points() { return points_; }
    AffineView<G> view() const { return AffineView<G>(std::span<const Affine<G>>(points_)); }

private:
    LargeVector<Affine<G>> points_;
};

struct DecodedQueries {
    std::array<DecodedQuery<G1>, 4> g1;  // h, l, a, b_g1
    DecodedQuery<G2> b_g2;
};

// In pieces, for progress.
template <class G>
DecodedQuery<G> decode_query(const ParamsFile& file, const ParamsQuery& query, const ReadOptions& options,
                             u64& done, u64 total) {
    constexpr std::size_t kPiece = std::size_t{1} << 16;
    const auto count = static_cast<std::size_t>(query.count);
    DecodedQuery<G> decoded(count);
    for (std::size_t first = 0; first < count; first += kPiece) {
        report_progress(options.progress, "reading the key", done, total);
        const auto piece = decoded.points().subspan(first, std::min(kPiece, count - first));
        file.read_points(query, first, piece, options.checks);
        done += piece.size();
    }
    return decoded;
}

template <class G>
void write_points(OutputFile& file, std::span<const Affine<G>> points) {
    constexpr std::size_t kPiece = 8192;
    constexpr std::size_t kBytes = kUncompressedBytes<G>;
    std::vector<u8> buffer(std::min(points.size(), kPiece) * kBytes);
    for (std::size_t first = 0; first < points.size(); first += kPiece) {
        const auto piece = points.subspan(first, std::min(kPiece, points.size() - first));
        parallel_for(
            0, piece.size(),
            [&](std::size_t i) {
                encode_uncompressed<G>(piece[i], std::span<u8, kBytes>(buffer.data() + i * kBytes, kBytes));
            },
            256);
        file.write(std::span<const u8>(buffer).first(piece.size() * kBytes));
    }
}

template <class G>
void write_point(OutputFile& file, const Affine<G>& point) {
    write_points<G>(file, std::span<const Affine<G>>(&point, 1));
}

void write_vk(OutputFile& file, const VerifyingKey<Bls12_381>& vk) {
    write_point(file, vk.alpha_g1);
    write_point(file, vk.beta_g1);
    write_point(file, vk.beta_g2);
    write_point(file, vk.gamma_g2);
    write_point(file, vk.delta_g1);
    write_point(file, vk.delta_g2);
    file.write_u32_be(static_cast<u32>(vk.ic.size()));
    write_points<G1>(file, vk.ic);
}

}  // namespace

ParamsFile::ParamsFile(ByteSource source) : source_(std::move(source)) {
    ByteReader reader(source_.name, "", source_.bytes);
    vk_ = read_vk(reader);
    if (!vk_.has_prover_points())
        fail_in_file(source_.name, "verifying key", kG1Bytes, "beta or delta in G1 is the point at infinity");
    queries_ = {{{"h", 0, 0, kG1Bytes},
                 {"l", 0, 0, kG1Bytes},
                 {"a", 0, 0, kG1Bytes},
                 {"b_g1", 0, 0, kG1Bytes},
                 {"b_g2", 0, 0, kG2Bytes}}};
    for (auto& query : queries_) {
        reader.set_section(fmt::format("{} query", query.name));
        query.count = reader.read_u32_be("the number of points");
        query.offset = reader.offset();
        reader.take_items(query.count, query.point_bytes, "points");
    }
    const auto& [h, l, a, b_g1, b_g2] = queries_;
    const auto refuse = [&](const ParamsQuery& query, const std::string& reason) {
        fail_in_file(source_.name, fmt::format("{} query", query.name), query.offset - 4, reason);
    };
    if (!std::has_single_bit(h.count + 1))
        refuse(h, fmt::format("{} points; a domain of n has n - 1, with n a power of two", h.count));
    log_domain_ = static_cast<unsigned>(std::countr_zero(h.count + 1));
    if (a.count > variables()) refuse(a, fmt::format("{} points for {} variables", a.count, variables()));
    if (b_g1.count > variables())
        refuse(b_g1, fmt::format("{} points for {} variables", b_g1.count, variables()));
    if (b_g2.count != b_g1.count)
        refuse(b_g2, fmt::format("{} points in G2, but {} in G1", b_g2.count, b_g1.count));

    if (reader.at_end()) return;
    reader.set_section("setup transcript");
    transcript_ = source_.bytes.subspan(static_cast<std::size_t>(reader.offset()));
    reader.skip(64, "the circuit hash");
    const u64 at = reader.offset();
    const u32 count = reader.read_u32_be("the contribution count");
    if (reader.remaining() != u64{count} * kContributionBytes)
        reader.fail_at(at, fmt::format("{} contributions need {} bytes, {} follow", count,
                                       u64{count} * kContributionBytes, reader.remaining()));
}

std::size_t ParamsFile::contributions() const {
    return transcript_.empty() ? 0 : (transcript_.size() - kTranscriptHeaderBytes) / kContributionBytes;
}

template <class G>
void ParamsFile::read_points(const ParamsQuery& query, std::size_t first, std::span<Affine<G>> out,
                             PointChecks checks) const {
    constexpr std::size_t kBytes = kUncompressedBytes<G>;
    const u64 base = query.offset + u64{first} * kBytes;
    const auto bytes = source_.bytes.subspan(static_cast<std::size_t>(base), out.size() * kBytes);
    const auto refuse = [&](std::size_t index, const std::string& reason) {
        fail_in_file(source_.name, fmt::format("{} query", query.name), base + index * kBytes,
                     fmt::format("point {} {}", first + index, reason));
    };
    if (const auto bad = decode_uncompressed_batch<G>(bytes, out, decode_checks(checks)))
        refuse(bad->index, describe(bad->error));
    for (std::size_t i = 0; i < out.size(); ++i)
        if ((bytes[i * kBytes] & kInfinityFlag) != 0) refuse(i, "is the point at infinity");
    // Else the file and what is decoded from it would both be in memory in the end.
    source_.release(bytes);
}
template void ParamsFile::read_points(const ParamsQuery&, std::size_t, std::span<Affine<G1>>,
                                      PointChecks) const;
template void ParamsFile::read_points(const ParamsQuery&, std::size_t, std::span<Affine<G2>>,
                                      PointChecks) const;

ProvingKey<Bls12_381> ParamsFile::proving_key(const ReadOptions& options) const {
    u64 total = 0;
    for (const auto& query : queries_) total += query.count;
    u64 done = 0;
    auto decoded = std::make_shared<DecodedQueries>();
    for (std::size_t i = 0; i < decoded->g1.size(); ++i)
        decoded->g1[i] = decode_query<G1>(*this, queries_[i], options, done, total);
    decoded->b_g2 = decode_query<G2>(*this, queries_[4], options, done, total);
    report_progress(options.progress, "reading the key", total, total);

    ProvingKey<Bls12_381> key;
    key.family = KeyFamily::kBellman;
    key.name = source_.name;
    key.vk = vk_;
    key.variables = variables();
    key.log_domain = log_domain_;
    key.h = decoded->g1[0].view();
    key.l = decoded->g1[1].view();
    key.a = decoded->g1[2].view();
    key.b_g1 = decoded->g1[3].view();
    key.b_g2 = decoded->b_g2.view();
    key.storage = std::move(decoded);
    return key;
}

VerifyingKey<Bls12_381> read_bellman_vk(const ByteSource& source) {
    ByteReader reader(source.name, "", source.bytes);
    auto vk = read_vk(reader);
    reader.expect_end("the last ic point");
    return vk;
}

void write_bellman_vk(const std::string& path, const VerifyingKey<Bls12_381>& vk) {
    OutputFile file(path);
    write_vk(file, vk);
    file.commit();
}

void ParamsSink::begin(const KeyHeader<Bls12_381>& header) {
    if (header.family != KeyFamily::kBellman)
        throw Error(ErrorKind::kInternal, ".params writer: the key is not of the bellman family");
    write_vk(file_, header.vk);
}

void ParamsSink::begin_query(Query query, std::size_t points) {
    constexpr std::array kOrder{Query::kH, Query::kL, Query::kA, Query::kBG1, Query::kBG2};
    if (points_left_ != 0 || queries_ == kOrder.size() || query != kOrder[queries_])
        throw Error(ErrorKind::kInternal, ".params writer: queries out of order or incomplete");
    if (points > 0xffffffffU)
        throw Error(ErrorKind::kUnsupported, "the key is too large for the 32-bit counts of a .params file");
    ++queries_;
    points_left_ = points;
    file_.write_u32_be(static_cast<u32>(points));
}

void ParamsSink::add(std::span<const Affine<G1>> points) {
    if (points.size() > points_left_)
        throw Error(ErrorKind::kInternal, ".params writer: more points than announced");
    points_left_ -= points.size();
    write_points<G1>(file_, points);
}

void ParamsSink::add(std::span<const Affine<G2>> points) {
    if (points.size() > points_left_)
        throw Error(ErrorKind::kInternal, ".params writer: more points than announced");
    points_left_ -= points.size();
    write_points<G2>(file_, points);
}

void ParamsSink::end() {
    if (points_left_ != 0 || queries_ != 5)
        throw Error(ErrorKind::kInternal, ".params writer: the key is incomplete");
    file_.write(transcript_);
    file_.commit();
}

void write_params(const std::string& path, const ProvingKey<Bls12_381>& key, std::span<const u8> transcript) {
    ParamsSink sink(path, transcript);
    KeyHeader<Bls12_381> header;
    header.family = key.family;
    header.variables = key.variables;
    header.log_domain = key.log_domain;
    header.vk = key.vk;
    sink.begin(header);
    const auto query = [&]<class G>(Query which, AffineView<G> view) {
        sink.begin_query(which, view.size());
        constexpr std::size_t kPiece = 8192;  // a view may be unaligned: copy piece by piece
        std::vector<Affine<G>> piece;
        for (std::size_t first = 0; first < view.size(); first += kPiece) {
            piece.clear();
            for (std::size_t i = first; i < std::min(view.size(), first + kPiece); ++i)
                piece.push_back(view[i]);
            sink.add(piece);
        }
    };
    query(Query::kH, key.h);
    query(Query::kL, key.l);
    query(Query::kA, key.a);
    query(Query::kBG1, key.b_g1);
    query(Query::kBG2, key.b_g2);
    sink.end();
}

}  // namespace cuzk
