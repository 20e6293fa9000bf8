/// The lines of a setting that is a table in text, such as a track or a list of points.
#pragma once

#include <cstddef>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tradewind::fvwam {

/// A line with its number from 1 on, as it was given and without its comment.
struct TextLine {
    std::string given;
    std::string content;
    std::size_t number = 0;
};

/// Returns the lines that have more than spaces and a comment, which begins with "#".
[[nodiscard]] inline std::vector<TextLine> lines_of(const std::string& table) {
    std::vector<TextLine> lines;
    std::istringstream stream(table);
    std::size_t number = 0;
    for (std::string line; std::getline(stream, line);) {
        ++number;
        std::string content = line.substr(0, line.find('#'));
        if (content.find_first_not_of(" \t\r") == std::string::npos) continue;
        lines.push_back({line, std::move(content), number});
    }
    return lines;
}

}  // namespace tradewind::fvwam
