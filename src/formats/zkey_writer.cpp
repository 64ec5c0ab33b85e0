#include "formats/zkey_writer.hpp"

#include <cstring>

#include "base/error.hpp"
#include "formats/field_arrays.hpp"
#include "formats/zkey_sections.hpp"
#include "formats/zkey_transcript.hpp"
#include "r1cs/matrix.hpp"

namespace cuzk {

using namespace zkey;

namespace {

[[noreturn]] void misuse(const char* what) {
    throw Error(ErrorKind::kInternal, std::string(".zkey writer: ") + what);
}

u32 section_of(Query query) {
    switch (query) {
        case Query::kA: return kA;
        case Query::kBG1: return kB1;
        case Query::kBG2: return kB2;
        case Query::kL: return kL;
        case Query::kH: return kH;
    }
    misuse("unknown query");
}

template <class T>
std::span<const u8> raw_bytes(std::span<const T> items) {
    return {reinterpret_cast<const u8*>(items.data()), items.size_bytes()};
}

}  // namespace

template <class C>
ZkeySink<C>::ZkeySink(std::string path, std::vector<u8> transcript)
    : file_(std::move(path)), transcript_(std::move(transcript)) {}

template <class C>
void ZkeySink<C>::data(std::span<const u8> bytes) {
    file_.write(bytes);
    hasher_.update(bytes);
}

template <class C>
void ZkeySink<C>::data_u32(u32 value) {
    const std::array<u8, 4> bytes{static_cast<u8>(value), static_cast<u8>(value >> 8),
                                  static_cast<u8>(value >> 16), static_cast<u8>(value >> 24)};
    data(bytes);
}

template <class C>
template <class G>
void ZkeySink<C>::data_point(const Affine<G>& point) {
    data(raw_bytes(std::span<const Affine<G>>(&point, 1)));
}

template <class C>
void ZkeySink<C>::begin(const KeyHeader<C>& header) {
    if (header.family != KeyFamily::kSnarkjs || header.a_matrix == nullptr || header.b_matrix == nullptr)
        misuse("the key is not of the snarkjs family");
    if (header.variables > 0xffffffffU || header.log_domain > 31)
        throw Error(ErrorKind::kUnsupported, "the key is too large for the 32-bit counts of a .zkey file");
    notice_ = header.contribution;
    write_iden3_header(file_, "zkey", kVersion, 10);
    write_iden3_section(file_, kProtocol, 4);
    file_.write_u32_le(kProtocolGroth16);
    write_header(header);
    write_iden3_section(file_, kIc, header.vk.ic.size() * sizeof(Affine<G1>));
    data(raw_bytes(std::span<const Affine<G1>>(header.vk.ic)));
    write_coefficients(header);
}

template <class C>
void ZkeySink<C>::write_header(const KeyHeader<C>& header) {
    using Fp = typename C::Fp;
    using Fr = typename C::Fr;
    const auto& vk = header.vk;
    write_iden3_section(
        file_, kHeader,
        4 + Fp::kBytes + 4 + Fr::kBytes + 3 * 4 + 3 * sizeof(Affine<G1>) + 3 * sizeof(Affine<G2>));
    data_u32(Fp::kBytes);
    data(modulus_bytes<Fp>());
    data_u32(Fr::kBytes);
    data(modulus_bytes<Fr>());
    data_u32(static_cast<u32>(header.variables));
    data_u32(static_cast<u32>(vk.public_inputs()));
    data_u32(u32{1} << header.log_domain);
    data_point(vk.alpha_g1);
    data_point(vk.beta_g1);
    data_point(vk.beta_g2);
    data_point(vk.gamma_g2);
    data_point(vk.delta_g1);
    data_point(vk.delta_g2);
}

template <class C>
void ZkeySink<C>::write_coefficients(const KeyHeader<C>& header) {
    using Fr = typename C::Fr;
    const auto& a = *header.a_matrix;
    const auto& b = *header.b_matrix;
    const std::size_t count = a.nonzeros() + b.nonzeros();
    if (count > 0xffffffffU)
        throw Error(ErrorKind::kUnsupported,
                    "the circuit has more coefficients than a .zkey file can count (2^32)");
    write_iden3_section(file_, kCoefficients, 4 + count * kCoefficientBytes);
    data_u32(static_cast<u32>(count));
    const auto write_row = [&](u32 matrix, const SparseMatrix<Fr>& m, std::size_t row) {
        if (row >= m.rows()) return;
        m.for_each_term(row, [&](u32 column, const Fr& coefficient) {
            // value * R^2: the Montgomery form of the Montgomery form
            const auto twice = Fr::from_int(coefficient.montgomery()).montgomery();
            std::array<u8, kCoefficientBytes> entry{};
            const std::array<u32, 3> place{matrix, static_cast<u32>(row), column};
            std::memcpy(entry.data(), place.data(), sizeof place);
            std::memcpy(entry.data() + sizeof place, twice.limb, sizeof twice.limb);
            data(entry);
        });
    };
    for (std::size_t row = 0; row < std::max(a.rows(), b.rows()); ++row) {
        write_row(0, a, row);
        write_row(1, b, row);
    }
}

template <class C>
void ZkeySink<C>::finish_query() const {
    if (query_left_ != 0) misuse("a query has fewer points than announced");
}

template <class C>
void ZkeySink<C>::begin_query(Query query, std::size_t points) {
    finish_query();
    query_left_ = points * (query == Query::kBG2 ? sizeof(Affine<G2>) : sizeof(Affine<G1>));
    write_iden3_section(file_, section_of(query), query_left_);
}

template <class C>
void ZkeySink<C>::add_raw(std::span<const u8> bytes) {
    if (bytes.size() > query_left_) misuse("a query has more points than announced");
    query_left_ -= bytes.size();
    data(bytes);
}

template <class C>
void ZkeySink<C>::add(std::span<const Affine<G1>> points) {
    add_raw(raw_bytes(points));
}
template <class C>
void ZkeySink<C>::add(std::span<const Affine<G2>> points) {
    add_raw(raw_bytes(points));
}

template <class C>
void ZkeySink<C>::end() {
    finish_query();
    if (transcript_.empty()) {
        std::array<u8, 64> hash{};
        hasher_.finish(hash);
        transcript_ = make_zkey_transcript<C>(hash, notice_);
    }
    write_iden3_section(file_, kTranscript, transcript_.size());
    file_.write(transcript_);
    file_.commit();
}

template <class C>
void write_zkey(const std::string& path, const ProvingKey<C>& key, std::vector<u8> transcript) {
    KeyHeader<C> header;
    header.family = key.family;
    header.variables = key.variables;
    header.log_domain = key.log_domain;
    header.vk = key.vk;
    header.a_matrix = key.a_matrix.get();
    header.b_matrix = key.b_matrix.get();
    ZkeySink<C> sink(path, std::move(transcript));
    sink.begin(header);
    const auto query = [&](Query which, auto points) {
        sink.begin_query(which, points.size());
        if (!points.empty()) sink.add_raw({points.data(), points.size() * sizeof(points[0])});
    };
    query(Query::kA, key.a);
    query(Query::kBG1, key.b_g1);
    query(Query::kBG2, key.b_g2);
    query(Query::kL, key.l);
    query(Query::kH, key.h);
    sink.end();
}

template class ZkeySink<Bn254>;
template class ZkeySink<Bls12_381>;
template void write_zkey<Bn254>(const std::string&, const ProvingKey<Bn254>&, std::vector<u8>);
template void write_zkey<Bls12_381>(const std::string&, const ProvingKey<Bls12_381>&, std::vector<u8>);

}  // namespace cuzk
