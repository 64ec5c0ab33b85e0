// What the daemon allows its clients' jobs.
#pragma once

#include "engine/types.hpp"

namespace cuzk::rpc {

struct JobLimits {
    u64 max_bytes_per_client = u64{16} << 30;  // requests of unfinished jobs
    engine::Milliseconds timeout{0};           // of jobs that name none; 0: none
    engine::Milliseconds max_timeout{0};       // that a request may name; 0: any
};

}  // namespace cuzk::rpc
