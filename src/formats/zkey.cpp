#include "formats/zkey.hpp"

#include <fmt/format.h>

#include <atomic>
#include <bit>
#include <cstring>
#include <limits>

#include "base/parallel.hpp"
#include "formats/point_checks.hpp"
#include "formats/zkey_sections.hpp"
#include "r1cs/matrix_builder.hpp"

namespace cuzk {

using namespace zkey;

namespace {

const char* protocol_name(u32 id) {
    switch (id) {
        case 1: return "Groth16";
        case 2: return "PLONK";
        case 10: return "FFLONK";
        default: return "unknown";
    }
}

void check_protocol(const Iden3Container& container) {
    ByteReader reader = container.open(kProtocol);
    const u64 at = reader.offset();
    const u32 protocol = reader.read_u32_le("the protocol");
    if (protocol != kProtocolGroth16)
        reader.fail_at(
            at,
            fmt::format("protocol {} ({}) is not supported, only Groth16", protocol, protocol_name(protocol)),
            ErrorKind::kUnsupported);
    reader.expect_end("the protocol");
}

// Reads both moduli off the header.
CurveId read_curve(ByteReader& reader) {
    u64 at = reader.offset();
    const u32 base_size = reader.read_u32_le("the size of the base field");
    const auto base = curve_from_base_modulus(reader.take(base_size, "the modulus of the base field"));
    if (!base)
        reader.fail_at(at, "the base field is that of no supported curve (bn128, bls12381)",
                       ErrorKind::kUnsupported);
    at = reader.offset();
    const u32 scalar_size = reader.read_u32_le("the size of the scalar field");
    const auto scalar =
        curve_from_scalar_modulus(reader.take(scalar_size, "the modulus of the scalar field"));
    if (scalar != base)
        reader.fail_at(at, fmt::format("the scalar field is not that of {}", curve_name(*base)));
    return *base;
}

template <class G>
Affine<G> read_key_point(ByteReader& reader, const char* name) {
    const u64 at = reader.offset();
    Affine<G> point;
    const auto bytes = reader.take(sizeof point, name);
    std::memcpy(static_cast<void*>(&point), bytes.data(), sizeof point);
    if (const char* fault = point_fault(point, PointChecks::kSubgroup))
        reader.fail_at(at, fmt::format("{} {}", name, fault));
    if (point.is_infinity()) reader.fail_at(at, fmt::format("{} is the point at infinity", name));
    return point;
}

u32 load_u32(const u8* p) {
    return u32{p[0]} | u32{p[1]} << 8 | u32{p[2]} << 16 | u32{p[3]} << 24;
}

// The entries of one matrix in section 4, for TripleMatrixBuilder.
template <class Fr>
struct CoefficientSource {
    std::span<const u8> entries;
    u32 matrix;

    const u8* at(std::size_t i) const { return entries.data() + i * kCoefficientBytes; }
    std::size_t size() const { return entries.size() / kCoefficientBytes; }
    bool skip(std::size_t i) const { return load_u32(at(i)) != matrix; }
    u32 row(std::size_t i) const { return load_u32(at(i) + 4); }
    u32 column(std::size_t i) const { return load_u32(at(i) + 8); }
    typename Fr::Int raw(std::size_t i) const {
        typename Fr::Int value;
        std::memcpy(value.limb, at(i) + 12, sizeof value.limb);
        return value;
    }
    // The file holds value * R^2; one Montgomery reduction gives value * R.
    Fr coefficient(std::size_t i) const { return Fr::from_montgomery(Fr::from_montgomery(raw(i)).to_int()); }
};

template <class Fr>
const char* entry_fault(const CoefficientSource<Fr>& source, std::size_t i, std::size_t rows,
                        std::size_t columns) {
    if (load_u32(source.at(i)) > 1) return "names a matrix other than A (0) and B (1)";
    if (source.row(i) >= rows) return "has a row outside the domain";
    if (source.column(i) >= columns) return "has a variable that the circuit does not have";
    if (source.raw(i) >= Fr::Constants::kModulus)
        return "has a coefficient that is not below the field's modulus";
    return nullptr;
}

// Checks all entries; returns one more than the highest row in use.
template <class Fr>
std::size_t check_entries(const CoefficientSource<Fr>& source, const ByteReader& reader, u64 base,
                          std::size_t domain, std::size_t variables) {
    std::atomic<std::size_t> first_bad{std::numeric_limits<std::size_t>::max()};
    std::atomic<std::size_t> rows{0};
    const auto raise = [](std::atomic<std::size_t>& target, std::size_t value) {
        std::size_t seen = target.load();
        while (seen < value && !target.compare_exchange_weak(seen, value)) {
        }
    };
    parallel_ranges(0, source.size(), 8192, [&](std::size_t begin, std::size_t end) {
        std::size_t most = 0;
        for (std::size_t i = begin; i < end; ++i) {
            if (entry_fault(source, i, domain, variables) != nullptr) {
                std::size_t seen = first_bad.load();
                while (i < seen && !first_bad.compare_exchange_weak(seen, i)) {
                }
                return;
            }
            most = std::max<std::size_t>(most, source.row(i) + std::size_t{1});
        }
        raise(rows, most);
    });
    const std::size_t bad = first_bad.load();
    if (bad != std::numeric_limits<std::size_t>::max())
        reader.fail_at(base + bad * kCoefficientBytes,
                       fmt::format("entry {} {} (matrix {}, row {} of {}, variable {} of {})", bad,
                                   entry_fault(source, bad, domain, variables), load_u32(source.at(bad)),
                                   source.row(bad), domain, source.column(bad), variables));
    return rows.load();
}

}  // namespace

CurveId zkey_curve(const ByteSource& source) {
    const Iden3Container container(source, "zkey", kVersion, kNames);
    check_protocol(container);
    ByteReader header = container.open(kHeader);
    return read_curve(header);
}

template <class C>
ZkeyFile<C>::ZkeyFile(ByteSource source) : container_(std::move(source), "zkey", kVersion, kNames) {
    check_protocol(container_);
    read_header();
    check_sizes();
    ByteReader ic = container_.open(kIc);
    for (std::size_t i = 0; i <= public_inputs_; ++i) {
        const u64 at = ic.offset();
        Affine<G1> point;
        const auto bytes = ic.take(sizeof point, "IC");
        std::memcpy(static_cast<void*>(&point), bytes.data(), sizeof point);
        if (const char* fault = point_fault(point, PointChecks::kSubgroup))
            ic.fail_at(at, fmt::format("point {} {}", i, fault));
        vk_.ic.push_back(point);
    }
}

template <class C>
void ZkeyFile<C>::read_header() {
    ByteReader reader = container_.open(kHeader);
    const u64 start = reader.offset();
    const CurveId curve = read_curve(reader);
    if (curve != curve_id<C>())
        reader.fail_at(start, fmt::format("the key is for {}, {} is wanted", curve_name(curve), C::kName),
                       ErrorKind::kUnsupported);
    variables_ = reader.read_u32_le("the number of variables");
    const u64 public_at = reader.offset();
    public_inputs_ = reader.read_u32_le("the number of public inputs");
    if (public_inputs_ >= variables_)
        reader.fail_at(public_at,
                       fmt::format("{} public inputs do not fit among {} variables (one is the constant)",
                                   public_inputs_, variables_));
    const u64 domain_at = reader.offset();
    const u32 domain = reader.read_u32_le("the domain size");
    if (!std::has_single_bit(domain))
        reader.fail_at(domain_at, fmt::format("domain size {} is no power of two", domain));
    log_domain_ = static_cast<unsigned>(std::countr_zero(domain));
    if (log_domain_ > Fr::Constants::kTwoAdicity)
        reader.fail_at(domain_at, fmt::format("domain size 2^{} is beyond the 2^{} of the field", log_domain_,
                                              std::size_t{Fr::Constants::kTwoAdicity}));
    if (public_inputs_ + 1 > domain)
        reader.fail_at(domain_at,
                       fmt::format("domain size {} is less than the {} rows of the public inputs alone",
                                   domain, public_inputs_ + 1));
    vk_.alpha_g1 = read_key_point<G1>(reader, "alpha in G1");
    vk_.beta_g1 = read_key_point<G1>(reader, "beta in G1");
    vk_.beta_g2 = read_key_point<G2>(reader, "beta in G2");
    vk_.gamma_g2 = read_key_point<G2>(reader, "gamma in G2");
    vk_.delta_g1 = read_key_point<G1>(reader, "delta in G1");
    vk_.delta_g2 = read_key_point<G2>(reader, "delta in G2");
    reader.expect_end("the header");
}

template <class C>
void ZkeyFile<C>::check_sizes() const {
    const auto expect = [&](u32 section, std::size_t count, std::size_t item) {
        const ByteReader reader = container_.open(section);
        if (reader.remaining() != u64{count} * item)
            reader.fail(fmt::format("the section has {} bytes; the header implies {} ({} points of {} bytes)",
                                    reader.remaining(), u64{count} * item, count, item));
    };
    constexpr std::size_t kG1 = sizeof(Affine<G1>);
    expect(kIc, public_inputs_ + 1, kG1);
    expect(kA, variables_, kG1);
    expect(kB1, variables_, kG1);
    expect(kB2, variables_, sizeof(Affine<G2>));
    expect(kL, variables_ - public_inputs_ - 1, kG1);
    expect(kH, std::size_t{1} << log_domain_, kG1);

    ByteReader reader = container_.open(kCoefficients);
    const u64 at = reader.offset();
    const u32 count = reader.read_u32_le("the number of coefficients");
    if (reader.remaining() != u64{count} * kCoefficientBytes)
        reader.fail_at(at, fmt::format("{} coefficients need {} bytes, {} follow", count,
                                       u64{count} * kCoefficientBytes, reader.remaining()));
}

template <class C>
std::size_t ZkeyFile<C>::coefficients() const {
    return container_.open(kCoefficients).read_u32_le("the number of coefficients");
}

template <class C>
template <class G>
AffineView<G> ZkeyFile<C>::points(u32 section) const {
    ByteReader reader = container_.open(section);
    return AffineView<G>(reader.take(reader.remaining(), "points"));
}

template <class C>
AffineView<typename C::G1> ZkeyFile<C>::a() const {
    return points<G1>(kA);
}
template <class C>
AffineView<typename C::G1> ZkeyFile<C>::b_g1() const {
    return points<G1>(kB1);
}
template <class C>
AffineView<typename C::G2> ZkeyFile<C>::b_g2() const {
    return points<G2>(kB2);
}
template <class C>
AffineView<typename C::G1> ZkeyFile<C>::l() const {
    return points<G1>(kL);
}
template <class C>
AffineView<typename C::G1> ZkeyFile<C>::h() const {
    return points<G1>(kH);
}

template <class C>
void ZkeyFile<C>::check_points(PointChecks checks, Progress* progress) const {
    if (checks == PointChecks::kNone) return;
    constexpr u64 kQueries = 5;
    u64 done = 0;
    const auto check = [&](u32 section, auto view) {
        report_progress(progress, "checking points", done++, kQueries);
        require_good_points(view, checks, container_.source().name, container_.label(section),
                            container_.open(section).offset());
    };
    check(kA, a());
    check(kB1, b_g1());
    check(kB2, b_g2());
    check(kL, l());
    check(kH, h());
    report_progress(progress, "checking points", done, kQueries);
}

template <class C>
ProvingKey<C> ZkeyFile<C>::proving_key(const ReadOptions& options) const {
    check_points(options.checks, options.progress);

    ByteReader reader = container_.open(kCoefficients);
    const u32 count = reader.read_u32_le("the number of coefficients");
    const u64 base = reader.offset();
    const auto entries = reader.take_items(count, kCoefficientBytes, "coefficients");
    const std::size_t domain = std::size_t{1} << log_domain_;
    const std::size_t rows =
        check_entries(CoefficientSource<Fr>{entries, 0}, reader, base, domain, variables_);

    std::array<std::shared_ptr<const SparseMatrix<Fr>>, 2> matrices;
    parallel_for(0, 2, [&](std::size_t m) {
        matrices[m] = std::make_shared<const SparseMatrix<Fr>>(TripleMatrixBuilder<Fr>::build(
            rows, variables_, CoefficientSource<Fr>{entries, static_cast<u32>(m)}));
    });

    container_.source().release(entries);

    ProvingKey<C> key;
    key.family = KeyFamily::kSnarkjs;
    key.name = container_.source().name;
    key.vk = vk_;
    key.variables = variables_;
    key.log_domain = log_domain_;
    key.a = a();
    key.b_g1 = b_g1();
    key.b_g2 = b_g2();
    key.h = h();
    key.l = l();
    key.a_matrix = matrices[0];
    key.b_matrix = matrices[1];
    key.storage = container_.source().owner;
    return key;
}

template <class C>
std::span<const u8> ZkeyFile<C>::transcript_bytes() const {
    if (!container_.has(kTranscript)) return {};
    ByteReader reader = container_.open(kTranscript);
    return reader.take(reader.remaining(), "the transcript");
}

template <class C>
std::optional<ZkeyTranscript> ZkeyFile<C>::transcript() const {
    if (!container_.has(kTranscript)) return std::nullopt;
    return read_zkey_transcript<C>(container_.open(kTranscript));
}

template class ZkeyFile<Bn254>;
template class ZkeyFile<Bls12_381>;

}  // namespace cuzk
