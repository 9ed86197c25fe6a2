// Programs stored as the lines that differ from another one. tests/versions.py describes the notation of the blocks.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace base {

inline std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        lines.push_back(text.substr(0, text.find('\n')));
        text.remove_prefix(std::min(lines.back().size() + 1, text.size()));
    }
    return lines;
}

/// The lines that a block expects, and those that replace them.
struct Change {
    std::vector<std::string_view> before, after;
};

/// Throws std::runtime_error, which quotes the line that does not belong in a block.
inline std::vector<Change> changes_in(std::string_view blocks) {
    std::vector<Change> changes;
    bool inside = false;
    for (const std::string_view line : lines_of(blocks)) {
        if (!line.empty() && !inside)
            changes.emplace_back();
        inside = !line.empty();
        if (!inside)
            continue;
        if (std::string_view(" -+").find(line[0]) == std::string_view::npos)
            throw std::runtime_error("a line of a block begins with a blank, + or -: " + std::string(line));
        if (line[0] != '+')
            changes.back().before.push_back(line.substr(1));
        if (line[0] != '-')
            changes.back().after.push_back(line.substr(1));
    }
    return changes;
}

/// `text` with the blocks applied: the lines of a block that begin with a blank or "-" must stand in the text exactly
/// once, after the place of the block before, and those that begin with a blank or "+" replace them. Throws
/// std::runtime_error, which quotes the block that does not fit.
inline std::string with_changes(std::string_view text, std::string_view blocks) {
    const auto lines = lines_of(text);
    std::string out;
    const auto add = [&out](auto first, auto last) {
        for (; first != last; ++first)
            (out += *first) += '\n';
    };
    auto at = lines.begin();
    for (const auto& [before, after] : changes_in(blocks)) {
        const auto place = std::search(lines.begin(), lines.end(), before.begin(), before.end());
        const char* problem = before.empty()         ? "has no line of the text"
                              : place == lines.end() ? "does not stand in the text"
                              : std::search(place + 1, lines.end(), before.begin(), before.end()) != lines.end()
                                  ? "stands in the text more than once"
                              : place < at ? "belongs before the one above it"
                                           : nullptr;
        if (problem)
            throw std::runtime_error("this block " + std::string(problem) +
                                     ", from: " + std::string(before.empty() ? after.front() : before.front()));
        add(at, place);
        add(after.begin(), after.end());
        at = place + std::ptrdiff_t(before.size());
    }
    add(at, lines.end());
    return out;
}

} // namespace base
