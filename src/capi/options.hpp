// Options as cuzk.h takes them: a JSON object, of which every key must be known.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace cuzk::capi {

// Asked for key after key, then for the rest: what nobody asked for is unknown. A null value is as good as an absent key. Every
// mistake is Error(kUsage) that names the key.
class Options {
public:
    // `text` null: all defaults.
    explicit Options(const char* text);

    std::optional<std::string> text(const char* key);
    std::optional<bool> boolean(const char* key);
    std::optional<u64> number(const char* key, u64 most);
    // A text, or an array of texts.
    std::optional<std::vector<std::string>> texts(const char* key);
    // One of `words`; its place among them.
    std::optional<std::size_t> choice(const char* key, const std::vector<std::string>& words);

    // An array of objects, none of which has been asked yet.
    std::vector<Options> objects(const char* key);

    // Sets `target` where the key is there.
    template <class T>
    void set_number(const char* key, T& target) {
        if (const auto value = number(key, static_cast<u64>(std::numeric_limits<T>::max())))
            target = static_cast<T>(*value);
    }

    // Refuses keys that nobody asked for.
    void finish() const;

private:
    Options(nlohmann::json object, std::string place)
        : object_(std::move(object)), place_(std::move(place)) {}
    const nlohmann::json* find(const char* key);
    [[noreturn]] void refuse(const std::string& key, const std::string& reason) const;

    nlohmann::json object_;
    std::string place_ = "options: ";  // what messages put before a key
    std::vector<std::string> known_;
};

}  // namespace cuzk::capi
