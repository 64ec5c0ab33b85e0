// The stages of a proof for people, scripts and trace viewers.
#pragma once

#include <string>

#include "cli/common.hpp"
#include "groth16/stages.hpp"

namespace cuzk::cli {

// A table: stage, start, time, bytes read; then the sums that GPU provers of Filecoin's kind report.
std::string timings_table(const StageLog& log);
// [{"stage", "start_ms", "ms", "bytes"}, ...]
Json timings_json(const StageLog& log);
// {"ntt_msm_h_ms", "batch_add_ms", "tail_msm_ms", "gpu_total_ms"}; null if no stage ran on a device. ntt_msm_h: from the rows'
// values to the sum over the H query. batch_add: sums of points whose scalar is one. tail_msm: sums with other scalars.
Json device_summary(const StageLog& log);
// Trace Event Format (Google, 2016), which Perfetto and chrome://tracing read.
std::string chrome_trace(const StageLog& log);

}  // namespace cuzk::cli
