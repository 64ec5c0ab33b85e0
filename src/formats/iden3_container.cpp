#include "formats/iden3_container.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace cuzk {

namespace {

constexpr u64 kSectionHeaderSize = 12;  // id, length
constexpr std::array<std::string_view, 4> kKnownMagics{"zkey", "wtns", "r1cs", "ptau"};

std::string as_text(std::span<const u8> bytes) {
    return {bytes.begin(), bytes.end()};
}

}  // namespace

Iden3Container::Iden3Container(ByteSource source, std::string_view magic, u32 version,
                               std::span<const Iden3SectionName> names)
    : source_(std::move(source)), names_(names) {
    ByteReader reader(source_.name, "file header", source_.bytes);
    const std::string found = as_text(reader.take(4, "the magic number"));
    if (found != magic) {
        if (std::find(kKnownMagics.begin(), kKnownMagics.end(), found) != kKnownMagics.end())
            reader.fail_at(0, fmt::format("this is a .{} file, a .{} file is wanted", found, magic));
        reader.fail_at(0, fmt::format("not a .{} file (its first four bytes are not \"{}\")", magic, magic));
    }
    const u32 found_version = reader.read_u32_le("the version");
    if (found_version != version)
        reader.fail_at(
            4, fmt::format("version {} of the format is not supported (only {})", found_version, version),
            ErrorKind::kUnsupported);
    const u32 count = reader.read_u32_le("the section count");
    reader.require_items(count, kSectionHeaderSize, "sections");
    reader.set_section("section table");
    for (u32 i = 0; i < count; ++i) {
        const u64 start = reader.offset();
        Iden3Section section;
        section.id = reader.read_u32_le("a section id");
        section.size = reader.read_u64_le("a section length");
        section.offset = reader.offset();
        if (section.size > reader.remaining())
            reader.fail_at(start, fmt::format("{} claims {} bytes, {} are left in the file",
                                              label(section.id), section.size, reader.remaining()));
        reader.skip(section.size, "a section");
        sections_.push_back(section);
    }
    reader.expect_end("the last section");
}

bool Iden3Container::has(u32 id) const {
    return std::any_of(sections_.begin(), sections_.end(), [&](const auto& s) { return s.id == id; });
}

std::string Iden3Container::label(u32 id) const {
    for (const auto& known : names_)
        if (known.id == id) return fmt::format("section {} ({})", id, known.name);
    return fmt::format("section {}", id);
}

ByteReader Iden3Container::open(u32 id) const {
    const Iden3Section* found = nullptr;
    for (const auto& section : sections_) {
        if (section.id != id) continue;
        if (found != nullptr)
            fail_in_file(source_.name, label(id), section.offset, "the section occurs twice");
        found = &section;
    }
    if (found == nullptr)
        fail_in_file(source_.name, label(id), source_.bytes.size(), "the section is missing");
    return {
        source_.name, label(id),
        source_.bytes.subspan(static_cast<std::size_t>(found->offset), static_cast<std::size_t>(found->size)),
        found->offset};
}

void write_iden3_header(OutputFile& file, std::string_view magic, u32 version, u32 sections) {
    file.write(magic);
    file.write_u32_le(version);
    file.write_u32_le(sections);
}

void write_iden3_section(OutputFile& file, u32 id, u64 size) {
    file.write_u32_le(id);
    file.write_u64_le(size);
}

}  // namespace cuzk
