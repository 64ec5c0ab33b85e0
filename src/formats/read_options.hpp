// What the readers of large files let the caller choose.
#pragma once

#include "base/progress.hpp"

namespace cuzk {

// How far the points of a key's queries are checked. The points of the verifying key in it are always checked fully.
enum class PointChecks {
    kNone,      // not at all: for a file whose digest is known to be good
    kCurve,     // canonical and on the curve; a few multiplications a point
    kSubgroup,  // in the subgroup of prime order as well; about as dear as a proof
};

struct ReadOptions {
    PointChecks checks = PointChecks::kCurve;
    Progress* progress = nullptr;
};

}  // namespace cuzk
