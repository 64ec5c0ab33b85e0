// Aligned tables for people, the same rows as JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "cli/common.hpp"

namespace cuzk::cli {

// Columns are aligned left, except those whose title starts with '>' (the mark is not shown).
class Table {
public:
    explicit Table(std::vector<std::string> titles) : titles_(std::move(titles)) {}
    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    std::string text() const;

private:
    std::vector<std::string> titles_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace cuzk::cli
