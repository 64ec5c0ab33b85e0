// Strict JSON reading for the small documents of snarkjs.
#pragma once

#include <nlohmann/json.hpp>

#include "base/byte_source.hpp"
#include "base/error.hpp"

namespace cuzk {

// Parses the whole of the bytes. Throws Error(kMalformed) with the offset for anything that is not JSON, and for an object
// that has a member twice (readers disagree on which one counts).
nlohmann::json parse_json(const ByteSource& source);

// A value inside a document and the way to it, so that messages can name both: "proof.json: pi_b[1][0]: ...".
class JsonPlace {
public:
    JsonPlace(const nlohmann::json& value, const std::string& file) : value_(&value), file_(&file) {}

    const nlohmann::json& value() const { return *value_; }
    // A member that must be there.
    JsonPlace member(const char* name) const;
    bool has(const char* name) const { return value_->is_object() && value_->contains(name); }
    // Element of an array of exactly `size` elements.
    JsonPlace element(std::size_t index, std::size_t size) const;
    std::size_t array_size() const;
    const std::string& text() const;
    u64 unsigned_number() const;

    [[noreturn]] void fail(const std::string& reason, ErrorKind kind = ErrorKind::kMalformed) const;

private:
    JsonPlace(const nlohmann::json& value, const std::string& file, std::string path)
        : value_(&value), file_(&file), path_(std::move(path)) {}

    const nlohmann::json* value_;
    const std::string* file_;
    std::string path_;
};

}  // namespace cuzk
