// "did you mean": the known word nearest to an unknown one.
#pragma once

#include <string>
#include <vector>

namespace cuzk::rpc {

// "; did you mean 'daemon.listen'?", or nothing if no candidate is near (by edits, swaps of neighbours counting as one).
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace cuzk::rpc
