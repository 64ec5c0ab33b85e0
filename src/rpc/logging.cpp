#include "rpc/logging.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <nlohmann/json.hpp>

namespace cuzk::rpc {

namespace {

// The message as a JSON string: spdlog's own patterns do not escape.
class JsonMessage final : public spdlog::custom_flag_formatter {
public:
    void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
        const nlohmann::json text(std::string(message.payload.data(), message.payload.size()));
        const std::string quoted = text.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        out.append(quoted.data(), quoted.data() + quoted.size());
    }
    std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<JsonMessage>(); }
};

}  // namespace

void start_logging(const std::string& level, const std::string& format) {
    auto logger = std::make_shared<spdlog::logger>("cuzk", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    logger->set_level(spdlog::level::from_str(level));
    logger->flush_on(spdlog::level::trace);
    if (format == "json") {
        auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
        formatter->add_flag<JsonMessage>('*').set_pattern(
            R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","message":%*})");
        logger->set_formatter(std::move(formatter));
    } else {
        logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %-5l %v");
    }
    spdlog::set_default_logger(std::move(logger));
}

}  // namespace cuzk::rpc
