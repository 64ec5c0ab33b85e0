// Metrics as Prometheus reads them: text format 0.0.4.
#pragma once

#include <span>
#include <string>

#include "engine/engine.hpp"

namespace cuzk::rpc {

// One "# HELP", "# TYPE" and the samples of each family; label values escaped, histograms as _bucket, _sum and _count.
std::string prometheus_text(std::span<const engine::MetricFamily> families);

// What a snapshot says as families: the names of earlier daemons, devices, memory, keys, queues.
std::vector<engine::MetricFamily> status_metrics(const engine::EngineStatus& status);

// The page of a daemon: what the engine counts itself, then what its snapshot says beside that.
std::string metrics_page(engine::Engine& engine);

}  // namespace cuzk::rpc
