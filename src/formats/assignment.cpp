#include "formats/assignment.hpp"

#include <fmt/format.h>

#include <array>

#include "base/byte_reader.hpp"
#include "base/output_file.hpp"
#include "formats/field_arrays.hpp"

namespace cuzk {

namespace {

using Fr = Bls12_381Fr;

struct Values {
    std::vector<Fr> z, a, b, c;
};

std::vector<Fr> read_values(ByteReader& reader, const char* name, u64 count) {
    reader.set_section(fmt::format("{} values", name));
    const u64 base = reader.offset();
    const auto bytes = reader.take_items(count, Fr::kBytes, "values");
    std::vector<Fr> values(static_cast<std::size_t>(count));
    if (const auto bad = decode_field_array<Fr>(bytes, values))
        reader.fail_at(base + u64{*bad} * Fr::kBytes,
                       fmt::format("value {} is not below the modulus of {}", *bad, Fr::Params::kName));
    return values;
}

DensityBits read_density(ByteReader& reader, const char* name, u64 count) {
    reader.set_section(fmt::format("{} density", name));
    const u64 at = reader.offset();
    const auto bytes = reader.take((count + 7) / 8, "density bits");
    if (count % 8 != 0 && (bytes.back() >> (count % 8)) != 0)
        reader.fail_at(at + bytes.size() - 1, fmt::format("a bit beyond the {} variables is set", count));
    return {bytes, static_cast<std::size_t>(count)};
}

}  // namespace

Assignment<Fr> read_assignment(const ByteSource& source) {
    ByteReader reader(source.name, "header", source.bytes);
    const auto magic = reader.take(8, "the magic text");
    if (std::string(magic.begin(), magic.end()) != kAssignmentMagic)
        reader.fail_at(
            0, fmt::format("not an assignment file (it does not start with \"{}\")", kAssignmentMagic));
    const u64 counts_at = reader.offset();
    const u64 inputs = reader.read_u64_le("the number of inputs");
    const u64 aux = reader.read_u64_le("the number of private variables");
    const u64 rows = reader.read_u64_le("the number of rows");
    if (inputs == 0) reader.fail_at(counts_at, "no input, not even the constant one");
    // Each by itself first: their sums and products must not wrap.
    for (const u64 count : {inputs, aux, rows}) reader.require_items(count, Fr::kBytes, "values");
    if (rows < inputs)
        reader.fail_at(counts_at + 16,
                       fmt::format("{} rows do not hold the appended rows of {} inputs", rows, inputs));

    auto values = std::make_shared<Values>();
    values->a = read_values(reader, "a", rows);
    values->b = read_values(reader, "b", rows);
    values->c = read_values(reader, "c", rows);
    const u64 z_at = reader.offset();
    values->z = read_values(reader, "z", inputs + aux);
    if (!values->z[0].is_one()) reader.fail_at(z_at, "the value of input 0, the constant one, is not 1");

    Assignment<Fr> assignment;
    assignment.inputs = static_cast<std::size_t>(inputs);
    assignment.a_aux = read_density(reader, "a_aux", aux);
    assignment.b_inputs = read_density(reader, "b_inputs", inputs);
    assignment.b_aux = read_density(reader, "b_aux", aux);
    reader.expect_end("the last density");
    assignment.z = values->z;
    assignment.a = values->a;
    assignment.b = values->b;
    assignment.c = values->c;
    assignment.storage = std::move(values);
    return assignment;
}

void write_assignment(const std::string& path, const Assignment<Fr>& assignment) {
    OutputFile file(path);
    file.write(kAssignmentMagic);
    file.write_u64_le(assignment.inputs);
    file.write_u64_le(assignment.aux());
    file.write_u64_le(assignment.a.size());
    for (const auto values : {assignment.a, assignment.b, assignment.c, assignment.z}) {
        for (const Fr& value : values) {
            std::array<u8, Fr::kBytes> bytes{};
            value.to_bytes_le(bytes);
            file.write(bytes);
        }
    }
    for (const auto* bits : {&assignment.a_aux, &assignment.b_inputs, &assignment.b_aux})
        file.write(bits->bytes());
    file.commit();
}

}  // namespace cuzk
