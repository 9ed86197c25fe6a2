#include "sim/report/text.h"

#include <fstream>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "sim/rules/rule.h"

namespace sim::hazards {

namespace {

std::string source_line(const std::string& file, uint32_t number) {
    std::ifstream in(file);
    std::string line;
    for (uint32_t i = 0; i < number; ++i)
        if (!std::getline(in, line))
            return {};
    for (size_t tab; (tab = line.find('\t')) != std::string::npos;)
        line.replace(tab, 1, "    ");
    return line.substr(0, 200);
}

std::string shown(const std::string& file, const std::filesystem::path& base) {
    if (base.empty())
        return file;
    const auto relative = std::filesystem::path(file).lexically_relative(base);
    return relative.empty() || *relative.begin() == ".." ? file : relative.string();
}

struct Colours {
    const char *bold = "", *red = "", *yellow = "", *dim = "", *end = "";
};

std::string what(const Place& place) {
    const std::string threads = place.threads.text();
    return threads.empty() ? place.action : threads + (place.action.empty() ? "" : " " + place.action);
}

// The line with a caret under the place, and what happened there: beside the caret where there is room, else below it.
std::string with_caret(std::string line, const Place& place, const Colours& c, size_t width) {
    size_t caret = place.column > 1 && place.column <= line.size() ? place.column - 1 : line.find_first_not_of(' ');
    if (caret == std::string::npos)
        caret = 0;
    constexpr size_t margin = 9; // in front of the source
    if (width > margin + 1 && line.size() + margin > width && caret + margin < width)
        line = line.substr(0, width - margin - 1) + "…";
    std::string text = fmt::format("  {}{:4} |{} {}\n", c.dim, place.line, c.end, line);
    const bool below = what(place).empty() || (width && width < margin + caret + 24);
    const std::string indent = below ? "  " : std::string(caret + 2, ' ');
    std::istringstream lines(base::wrapped(what(place), indent, width > margin ? width - margin : 0));
    std::string told;
    if (below)
        text += fmt::format("       {}|{} {}{}^{}\n", c.dim, c.end, std::string(caret, ' '), c.red, c.end);
    for (bool first = !below; std::getline(lines, told); first = false) {
        if (first)
            told[caret] = '^';
        text += fmt::format("       {}|{} {}{}{}\n", c.dim, c.end, c.red, told, c.end);
    }
    return text;
}

std::string excerpt(const Place& place, const std::string& shown_file, const std::string& first_file, const Colours& c,
                    size_t width) {
    if (place.file.empty() || place.line == 0)
        return what(place).empty() ? "" : base::wrapped(what(place), "        | ", width);
    std::string text;
    if (place.file != first_file)
        text += fmt::format("  {}in {}:{}{}\n", c.dim, shown_file, place.line, c.end);
    const std::string line = source_line(place.file, place.line);
    if (line.empty())
        text += base::wrapped(fmt::format("{}:{}: {}", shown_file, place.line, what(place)), "  ", width);
    else
        text += with_caret(line, place, c, width);
    if (!place.alternatives.empty())
        text += fmt::format("       {}|{} (or {})\n", c.dim, c.end, fmt::join(place.alternatives, ", "));
    return text;
}

// Two commands beside each other, or one below the other where the terminal is narrow.
std::string last_line(const std::string& again, const std::string& more, const Colours& c, size_t width) {
    const bool fits = !width || base::columns(again) + more.size() + 7 <= width;
    return fmt::format("  {}{}{}{}{}\n", c.dim, again, fits ? "     " : "\n  ", more, c.end);
}

} // namespace

std::string rule_name(const Finding& finding) {
    return finding.rule ? std::string(finding.rule->name) : "unnamed";
}

std::string text(const Finding& finding, const ReportStyle& style) {
    Colours c;
    if (style.colour)
        c = {"\033[1m", "\033[1;31m", "\033[33m", "\033[2m", "\033[0m"};
    const std::string rule = rule_name(finding), &file = finding.first.file;
    const std::string where =
        file.empty() ? "kernel " + finding.kernel : fmt::format("{}:{}", shown(file, style.base), finding.first.line);
    std::string out = fmt::format("{}{}: {}{}{}: {}{}\n", c.bold, where, finding.note ? c.yellow : c.red,
                                  finding.note ? "note" : "error", c.end, c.bold, rule + c.end);
    out += excerpt(finding.first, shown(file, style.base), file, c, style.width);
    for (const auto& other : finding.others)
        out += excerpt(other, shown(other.file, style.base), file, c, style.width);
    for (const std::string& paragraph : {finding.message, finding.remedy})
        if (!paragraph.empty())
            out += base::wrapped(paragraph, "  ", style.width);
    if (!style.again.empty() && !finding.note)
        out += last_line(fmt::format("again: {} --schedule {} --seed {}{}", style.again,
                                     name(finding.schedule.completion), finding.schedule.seed, style.again_end),
                         "more: ./lab explain " + rule, c, style.width);
    return out;
}

} // namespace sim::hazards
