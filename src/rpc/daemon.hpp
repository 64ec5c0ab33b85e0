// The daemon: an engine with its listeners, its log, and its end.
#pragma once

#include <memory>

#include "engine/engine.hpp"
#include "rpc/config/config.hpp"

namespace cuzk::rpc {

engine::EngineConfig engine_config(const DaemonConfig& config);

// Serves until SIGTERM or SIGINT. Then no new jobs are taken and accepted ones go on, until all are done, until
// daemon.shutdown_deadline, or until a second signal, which ends the process at once; unfinished jobs stay in the journal where
// there is one. Speaks to the service manager (ready, watchdog, stopping). Returns the exit code. Throws what the parts throw
// while they start. Blocks the signals it handles in the calling thread and all later ones: call it once, from main's thread,
// before others start.
int run_daemon(const DaemonConfig& config);

}  // namespace cuzk::rpc
