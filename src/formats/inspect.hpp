// What a file is and says, for people and for machines.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "base/byte_source.hpp"
#include "base/progress.hpp"
#include "formats/detect.hpp"

namespace cuzk {

struct InspectSection {
    std::string name;
    u64 offset = 0;
    u64 size = 0;
};

enum class Severity {
    kNote,     // worth knowing
    kWarning,  // unusual or suspicious
    kDanger,   // must not be trusted or used
};

struct Finding {
    Severity severity = Severity::kNote;
    std::string text;
};

struct InspectReport {
    std::string path;
    FileKind kind = FileKind::kUnknown;
    std::optional<CurveId> curve;
    u64 size = 0;
    std::string made_by;           // the tool that writes such files, as far as the content tells
    nlohmann::ordered_json facts;  // an object: counts, domain, contributions, ... in the order to show
    std::vector<InspectSection> sections;
    std::vector<Finding> findings;
    std::string sha256;   // of the whole file, hex
    std::string blake2b;  // BLAKE2b-512; its first 32 digits are Filecoin's parameter digest

    // Something was found broken or dangerous.
    bool has_danger() const;
};

struct InspectOptions {
    bool deep = false;  // check every point of a key, the subgroup included
    Progress* progress = nullptr;
};

// Reads the file as its kind's reader does and throws the reader's Error if it is malformed. Bad points that only a deep
// look finds become findings. An unknown kind is a report, too.
InspectReport inspect(const ByteSource& source, const InspectOptions& options = {});

std::string to_json(const InspectReport& report);
std::string to_text(const InspectReport& report);

}  // namespace cuzk
