#include "cli/table.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cuzk::cli {

std::string Table::text() const {
    std::vector<std::string> titles = titles_;
    std::vector<bool> right(titles.size());
    std::vector<std::size_t> width(titles.size());
    for (std::size_t i = 0; i < titles.size(); ++i) {
        if (titles[i].starts_with('>')) {
            right[i] = true;
            titles[i].erase(0, 1);
        }
        width[i] = titles[i].size();
        for (const auto& row : rows_) width[i] = std::max(width[i], row[i].size());
    }
    std::string out;
    const auto line = [&](const std::vector<std::string>& cells) {
        std::string text;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (i > 0) text += "  ";
            text += right[i] ? fmt::format("{:>{}}", cells[i], width[i])
                             : fmt::format("{:<{}}", cells[i], width[i]);
        }
        text.erase(text.find_last_not_of(' ') + 1);
        out += text + "\n";
    };
    line(titles);
    for (const auto& row : rows_) line(row);
    return out;
}

}  // namespace cuzk::cli
