// What kind of file this is, by its content; names and extensions do not matter.
#pragma once

#include <initializer_list>
#include <optional>

#include "base/byte_source.hpp"
#include "formats/curve_id.hpp"

namespace cuzk {

enum class FileKind {
    kZkey,
    kWtns,
    kR1cs,
    kPtau,  // powers of tau: recognised, not used
    kParams,
    kBellmanVk,
    kProofBytes,
    kAssignment,
    kProofJson,
    kPublicJson,
    kVkJson,
    kKeyCache,
    kUnknown,
};

// "zkey", "vk.json", ...: short, stable, for machines.
const char* kind_name(FileKind kind);
// "snarkjs proving key", ...: for people.
const char* kind_description(FileKind kind);

struct DetectedFile {
    FileKind kind = FileKind::kUnknown;
    std::optional<CurveId> curve;  // where the file states it or the kind implies it
};

// Cheap: looks at headers, counts and lengths (JSON is parsed). Damage behind the header is the readers' to find; never
// throws on account of the bytes.
DetectedFile detect(const ByteSource& source);

// Refuses (kMalformed) a file that is none of the wanted kinds, saying what it is; else returns what it is.
DetectedFile expect_kind(const ByteSource& source, std::initializer_list<FileKind> wanted);

// The curve that a file states; refuses (kMalformed) one that does not tell it.
CurveId curve_of(const DetectedFile& file, const std::string& name);

}  // namespace cuzk
