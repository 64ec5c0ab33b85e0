#include "formats/key_cache.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/byte_reader.hpp"
#include "curve/encoding.hpp"
#include "formats/digest.hpp"
#include "formats/key_cache_digest.hpp"
#include "formats/key_cache_layout.hpp"
#include "formats/point_checks.hpp"

namespace cuzk {

using namespace key_cache;

namespace {

template <class G>
Affine<G> read_point(ByteReader& reader, const std::string& name) {
    const u64 at = reader.offset();
    const auto bytes = reader.take(kRawBytes<G>, name);
    Affine<G> point;
    const auto error = load_affine_checked<G>(bytes.template first<kRawBytes<G>>(), point);
    if (error != PointError::kNone) reader.fail_at(at, fmt::format("{} {}", name, describe(error)));
    if (point.is_infinity()) reader.fail_at(at, fmt::format("{} is the point at infinity", name));
    return point;
}

VerifyingKey<Bls12_381> read_vk(ByteReader& reader, u64 ic) {
    reader.set_section("verifying key");
    VerifyingKey<Bls12_381> vk;
    vk.alpha_g1 = read_point<G1>(reader, "alpha in G1");
    vk.beta_g1 = read_point<G1>(reader, "beta in G1");
    vk.delta_g1 = read_point<G1>(reader, "delta in G1");
    vk.beta_g2 = read_point<G2>(reader, "beta in G2");
    vk.gamma_g2 = read_point<G2>(reader, "gamma in G2");
    vk.delta_g2 = read_point<G2>(reader, "delta in G2");
    reader.require_items(ic, kRawBytes<G1>, "ic points");
    vk.ic.reserve(static_cast<std::size_t>(ic));
    for (u64 i = 0; i < ic; ++i) vk.ic.push_back(read_point<G1>(reader, fmt::format("ic point {}", i)));
    return vk;
}

// `first`: the index of points[0] in its query.
template <class G>
void refuse_bad_points(AffineView<G> points, PointChecks checks, const std::string& file,
                       const ParamsQuery& query, u64 first) {
    if (checks == PointChecks::kNone) return;
    const auto refuse = [&](std::size_t i, const char* reason) {
        fail_in_file(file, fmt::format("{} query", query.name),
                     query.offset + (first + i) * query.point_bytes,
                     fmt::format("point {} {}", first + i, reason));
    };
    if (const auto bad = find_bad_point(points, checks)) refuse(bad->index, bad->reason);
    if (count_infinities(points) == 0) return;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (points[i].is_infinity()) refuse(i, "is the point at infinity");
}

bool all_zero(std::span<const u8> bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](u8 b) { return b == 0; });
}

}  // namespace

FileStamp FileStamp::of(const std::string& path) {
    struct stat info {};
    if (stat(path.c_str(), &info) != 0)
        throw Error(ErrorKind::kEnvironment,
                    fmt::format("{}: cannot be examined: {}", path, std::strerror(errno)));
    return {static_cast<u64>(info.st_size),
            static_cast<u64>(info.st_mtim.tv_sec) * 1'000'000'000 + static_cast<u64>(info.st_mtim.tv_nsec)};
}

KeyCacheFile::KeyCacheFile(ByteSource source) : source_(std::move(source)) {
    const u64 size = source_.bytes.size();
    ByteReader reader(source_.name, "header", source_.bytes);
    if (const auto magic = reader.take(kMagicBytes, "the magic word");
        !std::equal(magic.begin(), magic.end(), kMagic.begin()))
        reader.fail_at(0, "is no key cache");
    const auto expect = [&](const char* what, u32 wanted) {
        const u64 at = reader.offset();
        if (const u32 got = reader.read_u32_le(what); got != wanted)
            reader.fail_at(at, fmt::format("{} {} is not supported; {} is", what, got, wanted),
                           ErrorKind::kUnsupported);
    };
    expect("version", kVersion);
    expect("curve", kCurveBls12_381);
    expect("key family", kFamilyBellman);
    log_domain_ = reader.read_u32_le("the domain");
    const u64 header_bytes = reader.read_u64_le("the header's length");
    const u64 sizes_at = reader.offset();
    if (const u64 stated = reader.read_u64_le("the file's length"); stated != size)
        reader.fail_at(sizes_at, fmt::format("the file was written with {} bytes and has {}", stated, size));
    if (header_bytes % kPage != 0 || header_bytes < kPage || size < kTrailerBytes ||
        header_bytes > size - kTrailerBytes)
        reader.fail_at(sizes_at - 8, fmt::format("a header of {} bytes does not fit the file", header_bytes));

    // Before anything else is believed.
    const auto trailer = source_.bytes.last(kTrailerBytes);
    Hasher hasher(Hasher::Algorithm::kSha256);
    hasher.update(source_.bytes.first(static_cast<std::size_t>(header_bytes)));
    hasher.update(trailer.first(kTrailerBytes - kSha256Bytes));
    std::array<u8, kSha256Bytes> digest{};
    hasher.finish(digest);
    if (!std::equal(digest.begin(), digest.end(), trailer.end() - kSha256Bytes))
        reader.fail_at(0, "the digest of header and trailer does not match: the file is damaged");
    query_digests_ = trailer.first(kQueries * kSha256Bytes);
    source_digest_ = trailer.subspan(kQueries * kSha256Bytes, kBlake2bBytes);

    const u64 variables_at = reader.offset();
    const u64 variables = reader.read_u64_le("the number of variables");
    const u64 ic = reader.read_u64_le("the number of ic points");
    u64 offset = header_bytes;
    const u64 end = size - kTrailerBytes;
    for (std::size_t i = 0; i < kQueries; ++i) {
        const u64 at = reader.offset();
        const u64 count = reader.read_u64_le("the number of points");
        if (count > (end - offset) / kPointBytes[i])
            reader.fail_at(at, fmt::format("{} points of the {} query cannot fit in the {} bytes left", count,
                                           kNames[i], end - offset));
        queries_[i] = {kNames[i], offset, count, kPointBytes[i]};
        offset = std::min(end, page_up(offset + count * kPointBytes[i]));
    }
    if (offset != end || end % kPage != 0)
        reader.fail_at(sizes_at,
                       fmt::format("the queries end at {:#x}, the trailer begins at {:#x}", offset, end));

    made_from_.bytes = reader.read_u64_le("the source's length");
    made_from_.changed_ns = reader.read_u64_le("the source's time");
    const u64 name_at = reader.offset();
    const u64 name_bytes = reader.read_u32_le("the name's length");
    if (name_bytes > kLongestCircuit)
        reader.fail_at(
            name_at, fmt::format("a name of {} bytes; at most {} are allowed", name_bytes, kLongestCircuit));
    reader.skip(4, "padding");
    const auto name = reader.take(name_bytes, "the circuit's name");
    circuit_.assign(name.begin(), name.end());
    reader.skip((8 - name_bytes % 8) % 8, "padding");

    ByteReader points(source_.name, "verifying key",
                      source_.bytes.first(static_cast<std::size_t>(header_bytes))
                          .subspan(std::min<std::size_t>(reader.offset(), header_bytes)),
                      reader.offset());
    vk_ = read_vk(points, ic);

    const auto& [h, l, a, b_g1, b_g2] = queries_;
    if (ic == 0 || l.count > ~u64{0} - ic || variables != ic + l.count)
        reader.fail_at(variables_at,
                       fmt::format("{} variables, but {} ic points and {} points of the l query", variables,
                                   ic, l.count));
    if (a.count > variables || b_g1.count > variables || b_g2.count != b_g1.count)
        reader.fail_at(variables_at,
                       fmt::format("{}, {} and {} points of the a and b queries for {} variables", a.count,
                                   b_g1.count, b_g2.count, variables));
    if (log_domain_ > 63 || h.count != (u64{1} << log_domain_) - 1)
        reader.fail_at(variables_at,
                       fmt::format("{} points of the h query for a domain of 2^{}", h.count, log_domain_));
    variables_ = static_cast<std::size_t>(variables);
}

std::span<const u8> KeyCacheFile::query_bytes(std::size_t i) const {
    const ParamsQuery& query = queries_[i];
    return source_.bytes.subspan(static_cast<std::size_t>(query.offset),
                                 static_cast<std::size_t>(query.count * query.point_bytes));
}

ProvingKey<Bls12_381> KeyCacheFile::proving_key() const {
    ProvingKey<Bls12_381> key;
    key.family = KeyFamily::kBellman;
    key.name = source_.name;
    key.vk = vk_;
    key.variables = variables_;
    key.log_domain = log_domain_;
    key.h = AffineView<G1>(query_bytes(0));
    key.l = AffineView<G1>(query_bytes(1));
    key.a = AffineView<G1>(query_bytes(2));
    key.b_g1 = AffineView<G1>(query_bytes(3));
    key.b_g2 = AffineView<G2>(query_bytes(4));
    key.storage = source_.owner;
    return key;
}

void KeyCacheFile::check(const ReadOptions& options) const {
    constexpr std::size_t kPiece = 16 * kChunk;
    u64 total = 0, done = 0;
    for (std::size_t i = 0; i < kQueries; ++i) total += query_bytes(i).size();
    for (std::size_t i = 0; i < kQueries; ++i) {
        const ParamsQuery& query = queries_[i];
        const std::string section = fmt::format("{} query", query.name);
        const auto bytes = query_bytes(i);
        QueryHasher hasher;
        // In whole points.
        const std::size_t step = kPiece / query.point_bytes * query.point_bytes;
        for (std::size_t first = 0; first < bytes.size(); first += step) {
            report_progress(options.progress, "checking the key cache", done, total);
            const auto piece = bytes.subspan(first, std::min(step, bytes.size() - first));
            hasher.update(piece);
            const u64 index = first / query.point_bytes;
            if (query.point_bytes == kRawBytes<G2>)
                refuse_bad_points(AffineView<G2>(piece), options.checks, source_.name, query, index);
            else
                refuse_bad_points(AffineView<G1>(piece), options.checks, source_.name, query, index);
            source_.release(piece);
            done += piece.size();
        }
        const auto digest = hasher.finish();
        const auto stated = query_digests_.subspan(i * kSha256Bytes, kSha256Bytes);
        if (!std::equal(digest.begin(), digest.end(), stated.begin()))
            fail_in_file(source_.name, section, query.offset,
                         "the digest of the points does not match: the file is damaged");
        const u64 end = query.offset + bytes.size();
        if (!all_zero(source_.bytes.subspan(static_cast<std::size_t>(end),
                                            static_cast<std::size_t>(page_up(end) - end))))
            fail_in_file(source_.name, section, end, "the padding after the points is not zero");
    }
    report_progress(options.progress, "checking the key cache", total, total);
}

}  // namespace cuzk
