#include "formats/json_text.hpp"

#include <fmt/format.h>

#include <set>

#include "base/byte_reader.hpp"

namespace cuzk {

using nlohmann::json;

json parse_json(const ByteSource& source) {
    std::vector<std::set<std::string>> open_objects;
    const auto refuse_duplicates = [&](int, json::parse_event_t event, json& value) {
        if (event == json::parse_event_t::object_start) open_objects.emplace_back();
        if (event == json::parse_event_t::object_end) open_objects.pop_back();
        if (event == json::parse_event_t::key && !open_objects.back().insert(value.get<std::string>()).second)
            throw Error(ErrorKind::kMalformed, fmt::format("{}: the member \"{}\" occurs twice in one object",
                                                           source.name, value.get<std::string>()));
        return true;
    };
    try {
        return json::parse(source.bytes.begin(), source.bytes.end(), refuse_duplicates);
    } catch (const json::parse_error& error) {
        fail_in_file(source.name, "", error.byte, "not valid JSON");
    } catch (const json::exception& error) {
        throw Error(ErrorKind::kMalformed, fmt::format("{}: not valid JSON: {}", source.name, error.what()));
    }
}

void JsonPlace::fail(const std::string& reason, ErrorKind kind) const {
    if (path_.empty()) throw Error(kind, fmt::format("{}: {}", *file_, reason));
    throw Error(kind, fmt::format("{}: {}: {}", *file_, path_, reason));
}

JsonPlace JsonPlace::member(const char* name) const {
    if (!value_->is_object()) fail("is not a JSON object");
    const auto found = value_->find(name);
    if (found == value_->end()) fail(fmt::format("the member \"{}\" is missing", name));
    return {*found, *file_, path_.empty() ? name : path_ + "." + name};
}

JsonPlace JsonPlace::element(std::size_t index, std::size_t size) const {
    if (array_size() != size) fail(fmt::format("has {} elements, {} are wanted", value_->size(), size));
    return {(*value_)[index], *file_, fmt::format("{}[{}]", path_, index)};
}

std::size_t JsonPlace::array_size() const {
    if (!value_->is_array()) fail("is not an array");
    return value_->size();
}

const std::string& JsonPlace::text() const {
    if (!value_->is_string()) fail("is not a string");
    return value_->get_ref<const std::string&>();
}

u64 JsonPlace::unsigned_number() const {
    if (!value_->is_number_unsigned()) fail("is not a non-negative integer");
    return value_->get<u64>();
}

}  // namespace cuzk
