#include "formats/wtns.hpp"

#include <fmt/format.h>

#include <array>

#include "formats/field_arrays.hpp"
#include "formats/iden3_container.hpp"

namespace cuzk {

namespace {

constexpr u32 kVersion = 2;
constexpr u32 kHeader = 1;
constexpr u32 kValues = 2;
constexpr std::array<Iden3SectionName, 2> kNames{{{kHeader, "header"}, {kValues, "values"}}};
constexpr std::size_t kValueBytes = 32;

struct Header {
    CurveId curve;
    u32 count;
};

Header read_header(const Iden3Container& container) {
    ByteReader reader = container.open(kHeader);
    const u64 at = reader.offset();
    const u32 size = reader.read_u32_le("the field size");
    const auto curve = curve_from_scalar_modulus(reader.take(size, "the modulus"));
    if (!curve)
        reader.fail_at(at, "the field is the scalar field of no supported curve (bn128, bls12381)",
                       ErrorKind::kUnsupported);
    Header header{*curve, reader.read_u32_le("the number of values")};
    reader.expect_end("the header");
    return header;
}

// The body, exactly as long as the header says: a short one would otherwise be read past its end.
ByteReader open_values(const Iden3Container& container, const Header& header) {
    ByteReader reader = container.open(kValues);
    if (reader.remaining() != u64{header.count} * kValueBytes)
        reader.fail(fmt::format("the header states {} values ({} bytes), the section has {} bytes",
                                header.count, u64{header.count} * kValueBytes, reader.remaining()));
    return reader;
}

Iden3Container open_container(const ByteSource& source) {
    return {source, "wtns", kVersion, kNames};
}

}  // namespace

CurveId wtns_curve(const ByteSource& source) {
    return read_header(open_container(source)).curve;
}

std::size_t wtns_size(const ByteSource& source) {
    const auto container = open_container(source);
    const Header header = read_header(container);
    open_values(container, header);
    return header.count;
}

namespace {

template <class C>
ByteReader open_values_over(const Iden3Container& container, const Header& header) {
    if (header.curve != curve_id<C>()) {
        const ByteReader reader = container.open(kHeader);
        reader.fail(fmt::format("the witness is for {}, {} is wanted", curve_name(header.curve), C::kName),
                    ErrorKind::kUnsupported);
    }
    return open_values(container, header);
}

}  // namespace

template <class C>
std::span<const u8> wtns_values(const ByteSource& source) {
    const auto container = open_container(source);
    const Header header = read_header(container);
    return open_values_over<C>(container, header).take_items(header.count, kValueBytes, "values");
}

template <class C>
std::vector<typename C::Fr> read_wtns(const ByteSource& source) {
    using Fr = typename C::Fr;
    const auto container = open_container(source);
    const Header header = read_header(container);
    ByteReader reader = open_values_over<C>(container, header);
    const u64 base = reader.offset();
    if (header.count == 0) reader.fail("the witness is empty: it lacks even the constant one");
    const auto bytes = reader.take_items(header.count, kValueBytes, "values");
    std::vector<Fr> values(header.count);
    if (const auto bad = decode_field_array<Fr>(bytes, values))
        reader.fail_at(
            base + *bad * kValueBytes,
            fmt::format("the value of variable {} is not below the modulus of {}", *bad, Fr::Params::kName));
    source.release(bytes);
    if (!values[0].is_one()) reader.fail_at(base, "the value of variable 0, the constant one, is not 1");
    return values;
}

template <class C>
void write_wtns(const std::string& path, std::span<const typename C::Fr> values) {
    using Fr = typename C::Fr;
    OutputFile file(path);
    write_iden3_header(file, "wtns", kVersion, 2);
    write_iden3_section(file, kHeader, 4 + Fr::kBytes + 4);
    file.write_u32_le(Fr::kBytes);
    file.write(modulus_bytes<Fr>());
    file.write_u32_le(static_cast<u32>(values.size()));
    write_iden3_section(file, kValues, values.size() * Fr::kBytes);
    std::array<u8, Fr::kBytes> bytes{};
    for (const Fr& value : values) {
        value.to_bytes_le(bytes);
        file.write(bytes);
    }
    file.commit();
}

template std::span<const u8> wtns_values<Bn254>(const ByteSource&);
template std::span<const u8> wtns_values<Bls12_381>(const ByteSource&);
template std::vector<Bn254Fr> read_wtns<Bn254>(const ByteSource&);
template std::vector<Bls12_381Fr> read_wtns<Bls12_381>(const ByteSource&);
template void write_wtns<Bn254>(const std::string&, std::span<const Bn254Fr>);
template void write_wtns<Bls12_381>(const std::string&, std::span<const Bls12_381Fr>);

}  // namespace cuzk
