// The container that snarkjs and circom share: magic, version, section count, then sections (u32 id, u64 length, data),
// all little-endian. Spec: iden3 binary file format; section order is free.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/byte_reader.hpp"
#include "base/byte_source.hpp"
#include "base/output_file.hpp"

namespace cuzk {

struct Iden3Section {
    u32 id = 0;
    u64 offset = 0;  // of the data, from the start of the file
    u64 size = 0;
};

// Names the sections of one file kind in messages: {1, "header"}.
struct Iden3SectionName {
    u32 id;
    const char* name;
};

// The section map of a file, checked: every section lies inside the file, and nothing is left over. Unknown sections and
// unknown order are fine; a section id that occurs twice is refused when it is asked for.
class Iden3Container {
public:
    // `magic` is the four letters at the start; `names` outlives the container. Throws Error(kMalformed), or
    // Error(kUnsupported) for another version or for the magic of a sibling format (named).
    Iden3Container(ByteSource source, std::string_view magic, u32 version,
                   std::span<const Iden3SectionName> names);

    const ByteSource& source() const { return source_; }
    const std::vector<Iden3Section>& sections() const { return sections_; }
    bool has(u32 id) const;
    // A reader over a section that must be there exactly once.
    ByteReader open(u32 id) const;
    // "section 5 (A query)"
    std::string label(u32 id) const;

private:
    ByteSource source_;
    std::span<const Iden3SectionName> names_;
    std::vector<Iden3Section> sections_;
};

// Writers: the file header, then each section's header before its data.
void write_iden3_header(OutputFile& file, std::string_view magic, u32 version, u32 sections);
void write_iden3_section(OutputFile& file, u32 id, u64 size);

}  // namespace cuzk
