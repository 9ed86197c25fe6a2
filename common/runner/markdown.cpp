#include "runner/markdown.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace runner {

using base::trimmed;

namespace {

constexpr std::string_view HEADING = "## ", FENCE = "```";

std::string_view next_line(std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return line;
}

/// How many columns "- " or "12. " at the beginning of an item of a list takes; 0: the line begins no item.
size_t marker_of(std::string_view line) {
    const size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    const std::string_view rest = line.substr(digits);
    if (digits ? rest.starts_with(". ") : rest.starts_with("- "))
        return digits + 2;
    return 0;
}

/// Without the asterisks of *emphasis* and **strong emphasis**, which a terminal does not show; code keeps its own.
std::string without_emphasis(std::string_view text) {
    std::string out;
    bool code = false, open = false;
    for (size_t i = 0; i < text.size(); ++i) {
        code = code != (text[i] == '`');
        if (code || text[i] != '*') {
            out += text[i];
            continue;
        }
        const size_t end = std::min(text.find_first_not_of('*', i), text.size());
        const bool begins = !open && end < text.size() && text[end] != ' ' && text.find('*', end) != text.npos;
        const bool ends = open && i && text[i - 1] != ' ';
        if (!begins && !ends)
            out += text.substr(i, end - i);
        open = begins || (open && !ends);
        i = end - 1;
    }
    return out;
}

} // namespace

std::string section(std::string_view markdown, std::string_view heading) {
    std::string found;
    bool code = false, inside = false;
    while (!markdown.empty()) {
        const std::string_view line = next_line(markdown);
        code = code != line.starts_with(FENCE);
        if (!code && line.starts_with(HEADING))
            inside = trimmed(line.substr(HEADING.size())) == heading;
        else if (inside)
            found += std::string(line) + '\n';
    }
    return std::string(trimmed(found));
}

std::string rendered(std::string_view markdown, std::string_view indent, size_t width) {
    std::string out, paragraph;
    size_t marker = 0;
    bool code = false;
    auto end_paragraph = [&] {
        std::string lines = base::wrapped(without_emphasis(std::string_view(paragraph).substr(marker)),
                                          std::string(indent) + std::string(marker, ' '), width);
        lines.replace(std::min(indent.size(), lines.size()), marker, paragraph, 0, marker);
        out += lines;
        paragraph.clear();
        marker = 0;
    };
    while (!markdown.empty()) {
        const std::string_view line = next_line(markdown);
        if (line.starts_with(FENCE)) {
            end_paragraph();
            code = !code;
        } else if (code) {
            out += line.empty() ? "\n" : fmt::format("{}    {}\n", indent, line);
        } else if (line.empty()) {
            end_paragraph();
            out += '\n';
        } else if (const size_t columns = marker_of(line)) {
            end_paragraph();
            paragraph = line;
            marker = columns;
        } else {
            paragraph += (paragraph.empty() ? "" : " ") + std::string(trimmed(line));
        }
    }
    end_paragraph();
    return out;
}

} // namespace runner
