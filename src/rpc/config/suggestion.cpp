#include "rpc/config/suggestion.hpp"

#include <algorithm>

namespace cuzk::rpc {

namespace {

// Optimal string alignment distance.
std::size_t distance(const std::string& a, const std::string& b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[a.size()][b.size()];
}

// A key written below the wrong section is as near as a misspelt one.
std::size_t nearness(const std::string& word, const std::string& candidate) {
    const std::size_t whole = distance(word, candidate);
    const auto dot = candidate.find('.');
    const auto own = word.find('.');
    if (dot == std::string::npos || own == std::string::npos) return whole;
    const std::size_t leaf = distance(word.substr(own + 1), candidate.substr(dot + 1));
    return std::min(whole, leaf == 0 ? 1 : whole);
}

}  // namespace

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
    constexpr std::size_t kLongestWord = 200;  // the table of distances is quadratic
    if (word.size() > kLongestWord) return "";
    std::size_t best = std::max<std::size_t>(2, word.size() / 4) + 1;
    const std::string* found = nullptr;
    for (const std::string& candidate : candidates) {
        const std::size_t d = nearness(word, candidate);
        if (d < best) {
            best = d;
            found = &candidate;
        }
    }
    return found == nullptr ? "" : "; did you mean '" + *found + "'?";
}

}  // namespace cuzk::rpc
