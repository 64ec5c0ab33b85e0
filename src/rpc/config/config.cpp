#include "rpc/config/config.hpp"

#include <fmt/format.h>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/byte_source.hpp"
#include "base/error.hpp"
#include "rpc/config/quantities.hpp"
#include "rpc/config/schema.hpp"
#include "rpc/config/suggestion.hpp"

namespace cuzk::rpc {

namespace {

template <class... F>
struct Overloaded : F... {
    using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

// Reads the table into a config, collecting what is wrong rather than stopping at the first mistake.
class Reader {
public:
    Reader(std::string name, ParsedConfig& out)
        : name_(std::move(name)), out_(out), keys_(config_keys(out.config)) {}

    void read(const toml::table& root) {
        for (const auto& [key, node] : root) {
            const std::string section(key.str());
            if (section == "circuits") {
                read_circuits(node);
                continue;
            }
            const bool known = std::any_of(keys_.begin(), keys_.end(),
                                           [&](const ConfigKey& k) { return k.section == section; });
            if (!known)
                unknown_section(section, key.source());
            else if (const toml::table* table = node.as_table())
                read_section(section, *table);
            else
                problem(key.source(), fmt::format("'{}' is a section: write [{}]", section, section));
        }
        check_whole();
        if (problems_.empty()) return;
        std::string message;
        for (const std::string& text : problems_) message += (message.empty() ? "" : "\n") + text;
        throw Error(ErrorKind::kMalformed, message);
    }

private:
    void read_section(const std::string& section, const toml::table& table) {
        for (const auto& [key, node] : table) {
            const std::string name(key.str());
            const auto it = std::find_if(keys_.begin(), keys_.end(), [&](const ConfigKey& k) {
                return k.section == section && k.name == name;
            });
            if (it == keys_.end())
                unknown_key(fmt::format("{}.{}", section, name), key.source());
            else
                read_value(*it, node);
        }
    }

    void read_circuits(const toml::node& node) {
        const toml::array* array = node.as_array();
        if (array == nullptr || !array->is_array_of_tables()) {
            problem(node.source(), "'circuits' is a list of sections: write [[circuits]]");
            return;
        }
        std::vector<std::string> names;
        DaemonConfig::Circuit none;
        for (const ConfigKey& key : circuit_keys(none)) names.push_back(fmt::format("circuits.{}", key.name));
        for (const toml::node& item : *array) {
            DaemonConfig::Circuit& circuit = out_.config.circuits.emplace_back();
            circuit.where = fmt::format("{}:{}", name_, item.source().begin.line);
            const std::vector<ConfigKey> keys = circuit_keys(circuit);
            for (const auto& [key, value] : *item.as_table()) {
                const std::string_view name = key.str();
                const auto it = std::find_if(keys.begin(), keys.end(),
                                             [&](const ConfigKey& k) { return k.name == name; });
                const std::string full = fmt::format("circuits.{}", name);
                if (it == keys.end())
                    problem(key.source(), fmt::format("unknown key '{}'{}", full, did_you_mean(full, names)));
                else
                    read_value(*it, value);
            }
            if (circuit.id.empty()) problem(item.source(), "the circuit has no id");
            if (circuit.key.empty()) problem(item.source(), "the circuit has no key");
        }
    }

    void unknown_section(const std::string& section, const toml::source_region& at) {
        std::vector<std::string> names{"circuits"};
        for (const ConfigKey& key : keys_) {
            if (key.name == section) {
                problem(at, fmt::format("'{}' belongs below [{}]", section, key.section));
                return;
            }
            names.emplace_back(key.section);
        }
        problem(at, fmt::format("unknown section '{}'{}", section, did_you_mean(section, names)));
    }

    void unknown_key(const std::string& full, const toml::source_region& at) {
        std::vector<std::string> names;
        for (const ConfigKey& key : keys_) names.push_back(fmt::format("{}.{}", key.section, key.name));
        problem(at, fmt::format("unknown key '{}'{}", full, did_you_mean(full, names)));
    }

    void read_value(const ConfigKey& key, const toml::node& node) {
        const std::string full = fmt::format("{}.{}", key.section, key.name);
        const auto bad = [&](const std::string& wanted) {
            problem(node.source(), fmt::format("{} is no {}{}", full, wanted, shown(node)));
        };
        std::visit(Overloaded{
                       [&](std::string* out) {
                           if (const auto text = node.value_exact<std::string>())
                               *out = *text;
                           else
                               bad("text in quotes");
                       },
                       [&](std::vector<std::string>* out) { read_list(full, node, *out); },
                       [&](bool* out) {
                           if (const auto value = node.value_exact<bool>())
                               *out = *value;
                           else
                               bad("true or false");
                       },
                       [&](const CountKey& count) {
                           const auto value = node.value_exact<int64_t>();
                           if (value && *value >= 0 && static_cast<u64>(*value) >= count.least &&
                               static_cast<u64>(*value) <= count.most)
                               *count.value = static_cast<u64>(*value);
                           else
                               bad(fmt::format("whole number from {} to {}", count.least, count.most));
                       },
                       [&](const ChoiceKey& choice) {
                           const auto text = node.value_exact<std::string>();
                           if (text && std::find(choice.choices.begin(), choice.choices.end(), *text) !=
                                           choice.choices.end())
                               *choice.value = *text;
                           else
                               bad(fmt::format("one of {}", fmt::join(choice.choices, ", ")));
                       },
                       [&](u64* out) {
                           if (const auto size = as_size(node))
                               *out = *size;
                           else
                               bad("size such as \"5GiB\"");
                       },
                       [&](std::optional<u64>* out) {
                           if (node.value_exact<std::string>() == "auto")
                               out->reset();
                           else if (const auto size = as_size(node))
                               *out = *size;
                           else
                               bad("size such as \"64GiB\", nor \"auto\"");
                       },
                       [&](std::chrono::milliseconds* out) {
                           std::optional<std::chrono::milliseconds> duration;
                           if (const auto text = node.value_exact<std::string>())
                               duration = parse_duration(*text);
                           if (const auto number = node.value_exact<int64_t>())
                               duration = parse_duration(std::to_string(*number));
                           if (duration)
                               *out = *duration;
                           else
                               bad("duration such as \"5m\" or \"90s\"");
                       },
                       [&](const IdleKey& idle) {
                           out_.notes.push_back(fmt::format("{}:{}: {} does nothing here: {}", name_,
                                                            node.source().begin.line, full, idle.reason));
                       },
                   },
                   key.target);
    }

    void read_list(const std::string& full, const toml::node& node, std::vector<std::string>& out) {
        std::vector<std::string> items;
        const auto take = [&](const toml::node& item) {
            if (const auto text = item.value_exact<std::string>())
                items.push_back(*text);
            else if (const auto number = item.value_exact<int64_t>(); number && *number >= 0)
                items.push_back(std::to_string(*number));
            else
                problem(item.source(),
                        fmt::format("{}: an item is neither text nor a number{}", full, shown(item)));
        };
        if (const toml::array* array = node.as_array())
            for (const toml::node& item : *array) take(item);
        else
            take(node);
        out = std::move(items);
    }

    static std::optional<u64> as_size(const toml::node& node) {
        if (const auto text = node.value_exact<std::string>()) return parse_size(*text);
        if (const auto number = node.value_exact<int64_t>(); number && *number >= 0)
            return static_cast<u64>(*number);
        return std::nullopt;
    }

    static std::string shown(const toml::node& node) {
        if (const auto text = node.value_exact<std::string>()) return fmt::format(": \"{}\"", *text);
        if (const auto number = node.value_exact<int64_t>()) return fmt::format(": {}", *number);
        return "";
    }

    // What no key says alone.
    void check_whole() {
        const DaemonConfig& c = out_.config;
        if (c.daemon.tls_certificate.empty() != c.daemon.tls_key.empty())
            problems_.push_back(name_ + ": daemon.tls_certificate and daemon.tls_key belong together");
        for (const auto& [key, value] : {std::pair("total_budget", c.memory.total_budget),
                                         std::pair("pinned_budget", c.memory.pinned_budget)})
            if (value == u64{0})
                problems_.push_back(fmt::format("{}: memory.{} is 0: write \"auto\", or a size", name_, key));
        if (c.memory.total_budget && c.memory.pinned_budget.value_or(0) > *c.memory.total_budget)
            problems_.push_back(
                name_ +
                ": memory.pinned_budget is part of memory.total_budget, and can not be larger than it");
        if (c.daemon.listen.empty()) problems_.push_back(name_ + ": daemon.listen names no address");
        if (const auto most = c.daemon.max_job_timeout; most.count() != 0 && c.daemon.job_timeout > most)
            problems_.push_back(name_ + ": daemon.job_timeout is longer than daemon.max_job_timeout");
        if (c.daemon.max_request_bytes == 0 || c.daemon.max_request_bytes > u64{1} << 40)
            problems_.push_back(name_ + ": daemon.max_request_bytes is none from 1 byte to 1 TiB");
        if (c.daemon.max_message_bytes > (u64{2} << 30) - 1)
            problems_.push_back(name_ + ": daemon.max_message_bytes: gRPC's messages end at 2 GiB");
    }

    void problem(const toml::source_region& at, const std::string& text) {
        problems_.push_back(fmt::format("{}:{}: {}", name_, at.begin.line, text));
    }

    std::string name_;
    ParsedConfig& out_;
    std::vector<ConfigKey> keys_;
    std::vector<std::string> problems_;
};

// JSON's text in quotes is also TOML's.
std::string in_quotes(const std::string& text) {
    return nlohmann::json(text).dump();
}

std::string value_text(const KeyTarget& target) {
    return std::visit(Overloaded{
                          [](const std::string* v) { return in_quotes(*v); },
                          [](const std::vector<std::string>* v) {
                              std::vector<std::string> items;
                              for (const std::string& item : *v) items.push_back(in_quotes(item));
                              return fmt::format("[{}]", fmt::join(items, ", "));
                          },
                          [](const bool* v) -> std::string { return *v ? "true" : "false"; },
                          [](const CountKey& v) { return std::to_string(*v.value); },
                          [](const ChoiceKey& v) { return in_quotes(*v.value); },
                          [](const u64* v) { return in_quotes(size_text(*v)); },
                          [](const std::optional<u64>* v) { return in_quotes(*v ? size_text(**v) : "auto"); },
                          [](const std::chrono::milliseconds* v) { return in_quotes(duration_text(*v)); },
                          [](const IdleKey&) { return std::string(); },
                      },
                      target);
}

}  // namespace

ParsedConfig parse_config(const std::string& text, const std::string& name) {
    ParsedConfig parsed;
    toml::table root;
    try {
        root = toml::parse(text, name);
    } catch (const toml::parse_error& error) {
        throw Error(ErrorKind::kMalformed,
                    fmt::format("{}:{}: {}", name, error.source().begin.line, error.description()));
    }
    Reader(name, parsed).read(root);
    return parsed;
}

ParsedConfig load_config(const std::string& path) {
    const ByteSource source = ByteSource::open(path);
    return parse_config(std::string(reinterpret_cast<const char*>(source.bytes.data()), source.bytes.size()),
                        path);
}

std::string config_text(const DaemonConfig& config) {
    DaemonConfig copy = config;
    std::string out;
    const auto line = [](const ConfigKey& key) {
        return fmt::format("{} = {}  # {}\n", key.name, value_text(key.target), key.help);
    };
    std::string_view section;
    for (const ConfigKey& key : config_keys(copy)) {
        if (std::holds_alternative<IdleKey>(key.target)) continue;
        if (key.section != section) {
            out += fmt::format("{}[{}]\n", out.empty() ? "" : "\n", key.section);
            section = key.section;
        }
        out += line(key);
    }
    for (DaemonConfig::Circuit& circuit : copy.circuits) {
        out += "\n[[circuits]]\n";
        for (const ConfigKey& key : circuit_keys(circuit)) out += line(key);
    }
    if (copy.circuits.empty()) {  // how an entry would look
        out += "\n# [[circuits]]\n";
        DaemonConfig::Circuit none;
        for (const ConfigKey& key : circuit_keys(none)) out += "# " + line(key);
    }
    return out;
}

}  // namespace cuzk::rpc
