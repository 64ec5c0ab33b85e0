#include "formats/r1cs_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "formats/field_arrays.hpp"
#include "formats/iden3_container.hpp"
#include "r1cs/matrix_builder.hpp"

namespace cuzk {

namespace {

constexpr u32 kVersion = 1;
constexpr u32 kHeader = 1;
constexpr u32 kConstraints = 2;
constexpr u32 kLabels = 3;
constexpr u32 kCustomGates = 4;
constexpr u32 kCustomGatesUses = 5;
constexpr std::array<Iden3SectionName, 5> kNames{{{kHeader, "header"},
                                                  {kConstraints, "constraints"},
                                                  {kLabels, "wire labels"},
                                                  {kCustomGates, "custom gates"},
                                                  {kCustomGatesUses, "uses of custom gates"}}};
constexpr std::size_t kTermBytes = 4 + 32;
constexpr std::size_t kEmptyConstraintBytes = 3 * 4;

Iden3Container open_container(const ByteSource& source) {
    return {source, "r1cs", kVersion, kNames};
}

R1csHeader read_header(const Iden3Container& container) {
    // circom writes both sections empty when the PLONK gates are on but unused
    for (const u32 id : {kCustomGates, kCustomGatesUses}) {
        if (!container.has(id)) continue;
        ByteReader gates = container.open(id);
        const u64 at = gates.offset();
        if (gates.remaining() != 0 && gates.read_u32_le("a count") != 0)
            gates.fail_at(at, "the circuit uses custom gates, which Groth16 cannot express",
                          ErrorKind::kUnsupported);
    }

    ByteReader reader = container.open(kHeader);
    const u64 at = reader.offset();
    R1csHeader header;
    const u32 size = reader.read_u32_le("the field size");
    const auto curve = curve_from_scalar_modulus(reader.take(size, "the modulus"));
    if (!curve)
        reader.fail_at(at, "the field is the scalar field of no supported curve (bn128, bls12381)",
                       ErrorKind::kUnsupported);
    header.curve = *curve;
    const u64 wires_at = reader.offset();
    header.wires = reader.read_u32_le("the number of wires");
    header.public_outputs = reader.read_u32_le("the number of public outputs");
    header.public_inputs = reader.read_u32_le("the number of public inputs");
    header.private_inputs = reader.read_u32_le("the number of private inputs");
    header.labels = reader.read_u64_le("the number of labels");
    header.constraints = reader.read_u32_le("the number of constraints");
    reader.expect_end("the header");
    const u64 named = u64{1} + header.public_outputs + header.public_inputs + header.private_inputs;
    if (named > header.wires)
        reader.fail_at(
            wires_at,
            fmt::format("{} wires cannot hold the constant one, {} outputs, {} public and {} private "
                        "inputs",
                        header.wires, header.public_outputs, header.public_inputs, header.private_inputs));
    ByteReader constraints = container.open(kConstraints);
    constraints.require_items(header.constraints, kEmptyConstraintBytes, "constraints");
    if (container.has(kLabels)) {
        const ByteReader labels = container.open(kLabels);
        if (labels.remaining() != u64{header.wires} * 8)
            labels.fail(fmt::format("{} wires need {} bytes of labels, the section has {}", header.wires,
                                    u64{header.wires} * 8, labels.remaining()));
    }
    return header;
}

template <class Fr>
void read_combination(ByteReader& reader, u32 row, u32 wires, MatrixBuilder<Fr>& builder) {
    const u32 count = reader.read_u32_le("the number of terms");
    const u64 base = reader.offset();
    const auto terms = reader.take_items(count, kTermBytes, "terms");
    for (u32 i = 0; i < count; ++i) {
        const u8* term = terms.data() + std::size_t{i} * kTermBytes;
        u32 wire = 0;
        typename Fr::Int value;
        std::memcpy(&wire, term, sizeof wire);
        std::memcpy(value.limb, term + 4, sizeof value.limb);
        const u64 at = base + u64{i} * kTermBytes;
        if (wire >= wires)
            reader.fail_at(at, fmt::format("constraint {} has wire {}, there are {}", row, wire, wires));
        if (value >= Fr::Constants::kModulus)
            reader.fail_at(
                at + 4,
                fmt::format("constraint {}: the coefficient of wire {} is not below the modulus", row, wire));
        builder.add_term(wire, Fr::from_int(value));
    }
    builder.end_row();
}

template <class Fr>
u64 combinations_size(const SparseMatrix<Fr>& m) {
    return m.rows() * 4 + m.nonzeros() * kTermBytes;
}

template <class Fr>
void write_combination(OutputFile& file, const SparseMatrix<Fr>& m, std::size_t row) {
    file.write_u32_le(static_cast<u32>(m.row_length(row)));
    m.for_each_term(row, [&](u32 wire, const Fr& coefficient) {
        std::array<u8, Fr::kBytes> bytes{};
        coefficient.to_bytes_le(bytes);
        file.write_u32_le(wire);
        file.write(bytes);
    });
}

}  // namespace

R1csHeader read_r1cs_header(const ByteSource& source) {
    return read_header(open_container(source));
}

template <class C>
R1csFile<typename C::Fr> read_r1cs(const ByteSource& source, Progress* progress) {
    using Fr = typename C::Fr;
    const auto container = open_container(source);
    R1csFile<Fr> file;
    file.header = read_header(container);
    const auto& header = file.header;
    if (header.curve != curve_id<C>())
        container.open(kHeader).fail(
            fmt::format("the circuit is for {}, {} is wanted", curve_name(header.curve), C::kName),
            ErrorKind::kUnsupported);

    ByteReader reader = container.open(kConstraints);
    MatrixBuilder<Fr> a(header.wires);
    MatrixBuilder<Fr> b(header.wires);
    MatrixBuilder<Fr> c(header.wires);
    constexpr u32 kReportEvery = 1u << 16;
    for (u32 row = 0; row < header.constraints; ++row) {
        if (row % kReportEvery == 0)
            report_progress(progress, "reading constraints", row, header.constraints);
        read_combination(reader, row, header.wires, a);
        read_combination(reader, row, header.wires, b);
        read_combination(reader, row, header.wires, c);
    }
    reader.expect_end("the last constraint");
    report_progress(progress, "reading constraints", header.constraints, header.constraints);

    file.system.public_inputs = header.public_outputs + header.public_inputs;
    file.system.variables = header.wires;
    file.system.a = std::move(a).finish();
    file.system.b = std::move(b).finish();
    file.system.c = std::move(c).finish();
    if (container.has(kLabels)) {
        ByteReader labels = container.open(kLabels);
        file.wire_labels.resize(header.wires);
        for (u64& label : file.wire_labels) label = labels.read_u64_le("a label");
    }
    return file;
}

template <class C>
void write_r1cs(const std::string& path, const R1csFile<typename C::Fr>& content) {
    using Fr = typename C::Fr;
    const auto& header = content.header;
    const auto& system = content.system;
    const bool has_labels = !content.wire_labels.empty();
    OutputFile file(path);
    // circom's order
    write_iden3_header(file, "r1cs", kVersion, has_labels ? 3 : 2);
    write_iden3_section(
        file, kConstraints,
        combinations_size(system.a) + combinations_size(system.b) + combinations_size(system.c));
    for (std::size_t row = 0; row < system.constraints(); ++row)
        for (const auto* m : {&system.a, &system.b, &system.c}) write_combination(file, *m, row);
    write_iden3_section(file, kHeader, 4 + Fr::kBytes + 4 * 4 + 8 + 4);
    file.write_u32_le(Fr::kBytes);
    file.write(modulus_bytes<Fr>());
    file.write_u32_le(system.variables);
    file.write_u32_le(header.public_outputs);
    file.write_u32_le(header.public_inputs);
    file.write_u32_le(header.private_inputs);
    file.write_u64_le(header.labels);
    file.write_u32_le(static_cast<u32>(system.constraints()));
    if (has_labels) {
        write_iden3_section(file, kLabels, content.wire_labels.size() * 8);
        for (const u64 label : content.wire_labels) file.write_u64_le(label);
    }
    file.commit();
}

template R1csFile<Bn254Fr> read_r1cs<Bn254>(const ByteSource&, Progress*);
template R1csFile<Bls12_381Fr> read_r1cs<Bls12_381>(const ByteSource&, Progress*);
template void write_r1cs<Bn254>(const std::string&, const R1csFile<Bn254Fr>&);
template void write_r1cs<Bls12_381>(const std::string&, const R1csFile<Bls12_381Fr>&);

}  // namespace cuzk
