#include "base/changes.h"

#include <algorithm>
#include <stdexcept>

namespace base {

namespace {

struct Block {
    std::vector<std::string_view> before, after;
};

std::vector<Block> blocks_of(std::string_view text) {
    std::vector<Block> blocks;
    bool inside = false;
    for (const std::string_view line : lines_of(text)) {
        if (line.empty()) {
            inside = false;
            continue;
        }
        if (!inside)
            blocks.emplace_back();
        inside = true;
        const char kind = line[0];
        if (kind != ' ' && kind != '-' && kind != '+')
            throw std::runtime_error("a line of a block begins with a blank, + or -: " + std::string(line));
        if (kind != '+')
            blocks.back().before.push_back(line.substr(1));
        if (kind != '-')
            blocks.back().after.push_back(line.substr(1));
    }
    return blocks;
}

} // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        lines.push_back(text.substr(0, text.find('\n')));
        text.remove_prefix(std::min(lines.back().size() + 1, text.size()));
    }
    return lines;
}

std::string with_changes(std::string_view text, std::string_view blocks) {
    const auto lines = lines_of(text);
    std::string out;
    const auto add = [&out](auto first, auto last) {
        for (; first != last; ++first)
            (out += *first) += '\n';
    };
    auto at = lines.begin();
    for (const Block& block : blocks_of(blocks)) {
        const auto& before = block.before;
        const auto place = std::search(lines.begin(), lines.end(), before.begin(), before.end());
        const auto fail = [&](const char* why) {
            throw std::runtime_error("this block " + std::string(why) +
                                     ", from: " + std::string(before.empty() ? "(it has no context)" : before.front()));
        };
        if (before.empty() || place == lines.end())
            fail("does not stand in the text");
        if (std::search(place + 1, lines.end(), before.begin(), before.end()) != lines.end())
            fail("stands in the text more than once");
        if (place < at)
            fail("belongs before the one above it");
        add(at, place);
        add(block.after.begin(), block.after.end());
        at = place + std::ptrdiff_t(before.size());
    }
    add(at, lines.end());
    return out;
}

} // namespace base
