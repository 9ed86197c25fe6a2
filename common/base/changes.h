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

/// Lines of a block with the blank, "-" or "+" that each begins with.
using Block = std::vector<std::string_view>;

/// Throws std::runtime_error, which quotes the line that does not belong in a block.
inline std::vector<Block> blocks_of(std::string_view text) {
    std::vector<Block> blocks;
    bool inside = false;
    for (const std::string_view line : lines_of(text)) {
        if (!line.empty() && !inside)
            blocks.emplace_back();
        inside = !line.empty();
        if (inside && std::string_view(" -+").find(line[0]) == std::string_view::npos)
            throw std::runtime_error("a line of a block begins with a blank, + or -: " + std::string(line));
        if (inside)
            blocks.back().push_back(line);
    }
    return blocks;
}

/// Where the block's lines that begin with a blank or "-" stand, once and together, among the lines that are not empty.
inline size_t place_of(const Block& block, const std::vector<std::string_view>& filled) {
    std::vector<std::string_view> old;
    for (const std::string_view line : block)
        if (line[0] != '+' && line.size() > 1)
            old.push_back(line.substr(1));
    if (old.empty())
        throw std::runtime_error("this block only adds lines: begin or end it with a line of the base, from: " +
                                 std::string(block.front()));
    const auto place = std::search(filled.begin(), filled.end(), old.begin(), old.end());
    if (place == filled.end())
        throw std::runtime_error("this block does not stand in the base, from: " + std::string(old.front()));
    if (std::search(place + 1, filled.end(), old.begin(), old.end()) != filled.end())
        throw std::runtime_error("this block stands in the base more than once, from: " + std::string(old.front()));
    return size_t(place - filled.begin());
}

/// The base with the blocks applied, as Version.applied of tests/versions.py does it. Throws std::runtime_error, which
/// quotes the block that does not fit.
inline std::string with_changes(std::string_view base, std::string_view blocks) {
    const auto lines = lines_of(base);
    std::vector<std::string_view> filled;
    std::vector<size_t> numbers; // of those
    for (size_t i = 0; i < lines.size(); ++i)
        if (!lines[i].empty()) {
            filled.push_back(lines[i]);
            numbers.push_back(i);
        }
    std::string out;
    size_t at = 0;
    const auto copy_until = [&](size_t end) {
        for (; at < end; ++at)
            (out += lines[at]) += '\n';
    };
    for (const Block& block : blocks_of(blocks)) {
        size_t place = place_of(block, filled);
        if (numbers[place] < at)
            throw std::runtime_error("this block belongs before the one above it, from: " + std::string(filled[place]));
        copy_until(numbers[place]);
        for (const std::string_view line : block) {
            if (line[0] == '+') {
                (out += line.substr(1)) += '\n';
            } else if (line.size() > 1) { // the empty lines in front of it stay
                copy_until(numbers[place] + (line[0] == ' '));
                at = numbers[place++] + 1;
            }
        }
    }
    copy_until(lines.size());
    return out;
}

} // namespace base
