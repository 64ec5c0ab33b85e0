#include "capi/options.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "formats/json_text.hpp"

namespace cuzk::capi {

namespace {

std::string joined(const std::vector<std::string>& words) {
    std::string list;
    for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
    return list;
}

}  // namespace

Options::Options(const char* text) : object_(nlohmann::json::object()) {
    if (text == nullptr) return;
    try {
        object_ =
            parse_json(ByteSource::borrow("options", {reinterpret_cast<const u8*>(text), std::strlen(text)}));
    } catch (const Error& e) {
        throw Error(ErrorKind::kUsage, e.what());
    }
    if (!object_.is_object()) throw Error(ErrorKind::kUsage, "options: not a JSON object");
}

void Options::refuse(const std::string& key, const std::string& reason) const {
    throw Error(ErrorKind::kUsage, place_ + key + " " + reason);
}

const nlohmann::json* Options::find(const char* key) {
    known_.emplace_back(key);
    const auto it = object_.find(key);
    return it == object_.end() || it->is_null() ? nullptr : &*it;
}

std::optional<std::string> Options::text(const char* key) {
    const nlohmann::json* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_string()) refuse(key, "must be a string");
    auto text = value->get<std::string>();
    if (text.find('\0') != std::string::npos) refuse(key, "holds a NUL");
    return text;
}

std::optional<bool> Options::boolean(const char* key) {
    const nlohmann::json* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_boolean()) refuse(key, "must be true or false");
    return value->get<bool>();
}

std::optional<u64> Options::number(const char* key, u64 most) {
    const nlohmann::json* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_number_unsigned()) refuse(key, "must be a whole number, 0 or more");
    const u64 number = value->get<u64>();
    if (number > most)
        refuse(key, "is " + std::to_string(number) + ", at most " + std::to_string(most) + " is allowed");
    return number;
}

std::optional<std::vector<std::string>> Options::texts(const char* key) {
    const nlohmann::json* value = find(key);
    if (value == nullptr) return std::nullopt;
    std::vector<std::string> texts;
    for (const nlohmann::json& entry : value->is_array() ? *value : nlohmann::json::array({*value})) {
        if (!entry.is_string()) refuse(key, "must be a string or an array of strings");
        texts.push_back(entry.get<std::string>());
    }
    return texts;
}

std::vector<Options> Options::objects(const char* key) {
    std::vector<Options> objects;
    const nlohmann::json* value = find(key);
    if (value == nullptr) return objects;
    const auto all_objects = [](const nlohmann::json& list) {
        return std::all_of(list.begin(), list.end(), [](const nlohmann::json& e) { return e.is_object(); });
    };
    if (!value->is_array() || !all_objects(*value)) refuse(key, "must be an array of objects");
    for (const nlohmann::json& entry : *value)
        objects.push_back(Options(entry, place_ + key + "[" + std::to_string(objects.size()) + "]."));
    return objects;
}

std::optional<std::size_t> Options::choice(const char* key, const std::vector<std::string>& words) {
    const std::optional<std::string> word = text(key);
    if (!word) return std::nullopt;
    const auto it = std::find(words.begin(), words.end(), *word);
    if (it == words.end()) refuse(key, "is '" + *word + "'; it can be " + joined(words));
    return static_cast<std::size_t>(it - words.begin());
}

void Options::finish() const {
    for (const auto& [key, value] : object_.items())
        if (std::find(known_.begin(), known_.end(), key) == known_.end())
            refuse("'" + key + "'", "is not known; there are " + joined(known_));
}

}  // namespace cuzk::capi
