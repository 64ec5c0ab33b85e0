#include "formats/key_cache_writer.hpp"

#include <fmt/format.h>

#include <future>

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "formats/digest.hpp"
#include "formats/key_cache_digest.hpp"
#include "formats/key_cache_layout.hpp"

namespace cuzk {

using namespace key_cache;

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;  // points

// A header in the making.
class HeaderBytes {
public:
    void u32_le(u32 value) { append(&value, sizeof value); }
    void u64_le(u64 value) { append(&value, sizeof value); }
    void raw(std::span<const u8> bytes) { append(bytes.data(), bytes.size()); }
    template <class G>
    void point(const Affine<G>& p) {
        append(&p, sizeof p);
    }
    void pad(u64 multiple) { bytes_.resize((bytes_.size() + multiple - 1) / multiple * multiple); }
    const std::vector<u8>& bytes() const { return bytes_; }

private:
    void append(const void* data, std::size_t size) {
        const auto* const first = static_cast<const u8*>(data);
        bytes_.insert(bytes_.end(), first, first + size);
    }
    std::vector<u8> bytes_;
};

u64 header_bytes(const ParamsFile& source, const std::string& circuit) {
    return page_up(kFixedBytes + (circuit.size() + 7) / 8 * 8 + kVkBytes +
                   source.vk().ic.size() * sizeof(Affine<G1>));
}

std::vector<u8> make_header(const ParamsFile& source, const std::string& circuit, const FileStamp& stamp) {
    const VerifyingKey<Bls12_381>& vk = source.vk();
    HeaderBytes header;
    header.raw(kMagic);
    header.u32_le(kVersion);
    header.u32_le(kCurveBls12_381);
    header.u32_le(kFamilyBellman);
    header.u32_le(source.log_domain());
    header.u64_le(header_bytes(source, circuit));
    header.u64_le(key_cache_bytes(source, circuit));
    header.u64_le(source.variables());
    header.u64_le(vk.ic.size());
    for (const ParamsQuery& query : source.queries()) header.u64_le(query.count);
    header.u64_le(stamp.bytes);
    header.u64_le(stamp.changed_ns);
    header.u32_le(static_cast<u32>(circuit.size()));
    header.u32_le(0);
    header.raw(std::span(reinterpret_cast<const u8*>(circuit.data()), circuit.size()));
    header.pad(8);
    header.point(vk.alpha_g1);
    header.point(vk.beta_g1);
    header.point(vk.delta_g1);
    header.point(vk.beta_g2);
    header.point(vk.gamma_g2);
    header.point(vk.delta_g2);
    for (const auto& point : vk.ic) header.point(point);
    header.pad(kPage);
    return header.bytes();
}

// Digests the source front to back while its points are decoded.
class SourceDigest {
public:
    explicit SourceDigest(std::span<const u8> bytes) : bytes_(bytes) {}
    // Starts on the bytes up to `end`, on a thread of its own.
    void start_up_to(u64 end) {
        wait();
        const auto part = bytes_.subspan(done_, static_cast<std::size_t>(end) - done_);
        done_ = static_cast<std::size_t>(end);
        pending_ = std::async(std::launch::async, [this, part] { hasher_.update(part); });
    }
    void wait() {
        if (pending_.valid()) pending_.get();
    }
    std::array<u8, kBlake2bBytes> finish() {
        start_up_to(bytes_.size());
        wait();
        std::array<u8, kBlake2bBytes> digest{};
        hasher_.finish(digest);
        return digest;
    }

private:
    std::span<const u8> bytes_;
    std::size_t done_ = 0;
    Hasher hasher_{Hasher::Algorithm::kBlake2b512};
    std::future<void> pending_;  // last: ends before what it uses
};

void pad_to_page(OutputFile& file) {
    const std::vector<u8> zeros(static_cast<std::size_t>(page_up(file.position()) - file.position()));
    file.write(zeros);
}

}  // namespace

u64 key_cache_bytes(const ParamsFile& source, const std::string& circuit) {
    u64 bytes = header_bytes(source, circuit);
    for (std::size_t i = 0; i < kQueries; ++i)
        bytes = page_up(bytes + source.queries()[i].count * kPointBytes[i]);
    return bytes + kTrailerBytes;
}

bool write_key_cache(const std::string& source_path, const std::string& circuit, const std::string& path,
                     const KeyCacheWriteOptions& options) {
    if (circuit.size() > kLongestCircuit)
        throw Error(ErrorKind::kInternal, "the circuit's name is too long for a key cache");
    const FileStamp stamp = FileStamp::of(source_path);
    const ParamsFile source(ByteSource::open(source_path));
    const auto header = make_header(source, circuit, stamp);

    OutputFile file(path);
    file.write(header);
    u64 total = 0, done = 0;
    for (const ParamsQuery& query : source.queries()) total += query.count;
    SourceDigest source_digest(source.source().bytes);
    std::vector<u8> trailer;
    const auto append = [&](std::span<const u8> bytes) {
        trailer.insert(trailer.end(), bytes.begin(), bytes.end());
    };
    const auto write_query = [&]<class G>(const ParamsQuery& query, G) {
        QueryHasher hasher;
        std::vector<Affine<G>> points;
        for (std::size_t first = 0; first < query.count; first += kPiece) {
            if (options.stop.stop_requested()) return false;
            report_progress(options.progress, "writing the key cache", done, total);
            points.resize(std::min<std::size_t>(kPiece, query.count - first));
            source_digest.start_up_to(query.offset + (first + points.size()) * query.point_bytes);
            source.read_points<G>(query, first, points, options.checks);
            const std::span<const u8> bytes(reinterpret_cast<const u8*>(points.data()),
                                            points.size() * sizeof(Affine<G>));
            hasher.update(bytes);
            file.write(bytes);
            done += points.size();
        }
        append(hasher.finish());
        pad_to_page(file);
        return true;
    };
    for (std::size_t i = 0; i + 1 < kQueries; ++i)
        if (!write_query(source.queries()[i], G1{})) return false;
    if (!write_query(source.queries()[kQueries - 1], G2{})) return false;

    append(source_digest.finish());
    Hasher over_all(Hasher::Algorithm::kSha256);
    over_all.update(header);
    over_all.update(trailer);
    std::array<u8, kSha256Bytes> digest{};
    over_all.finish(digest);
    append(digest);
    file.write(trailer);
    if (FileStamp::of(source_path) != stamp)
        throw Error(ErrorKind::kEnvironment, source_path + ": changed while it was read");
    file.commit();
    report_progress(options.progress, "writing the key cache", total, total);
    return true;
}

}  // namespace cuzk
