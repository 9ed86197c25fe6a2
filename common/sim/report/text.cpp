#include "sim/report/text.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "sim/ptx/source_texts.h"
#include "sim/rules/rule.h"

namespace sim::hazards {

namespace {

std::string source_line(const std::string& file, uint32_t number) {
    std::istringstream in(ptx::source_text(file));
    std::string line;
    for (uint32_t i = 0; i < number; ++i)
        if (!std::getline(in, line))
            return {};
    for (size_t tab; (tab = line.find('\t')) != std::string::npos;)
        line.replace(tab, 1, "    ");
    return line.substr(0, 200);
}

std::string shown(const std::string& file, const std::filesystem::path& folder) {
    if (folder.empty())
        return file;
    const auto relative = std::filesystem::path(file).lexically_relative(folder);
    return relative.empty() || *relative.begin() == ".." ? file : relative.string();
}

template <class... T>
std::string said(const ReportStyle& style, std::string_view english, const T&... arguments) {
    return fmt::vformat(style.wording(english), fmt::make_format_args(arguments...));
}

struct Colours {
    const char *bold = "", *red = "", *magenta = "", *yellow = "", *dim = "", *end = "";
};

const char* colour_of(Severity severity, const Colours& c) {
    return severity == Severity::error ? c.red : severity == Severity::warning ? c.magenta : c.yellow;
}

std::string what(const Place& place) {
    const std::string threads = place.threads.text();
    return threads.empty() ? place.action : threads + (place.action.empty() ? "" : " " + place.action);
}

// The function that a line belongs to, and the line itself unless it is a part of a longer statement.
std::string mention(const CallFrame& call, const std::string& here, const ReportStyle& style) {
    std::string line = source_line(call.file, call.line);
    line.erase(0, line.find_first_not_of(' '));
    if (line.empty() || std::string_view(":\")},.&|?+").find(line[0]) != std::string_view::npos)
        line.clear();
    return (call.file == here ? said(style, "line {}", call.line)
                              : fmt::format("{}:{}", shown(call.file, style.base), call.line)) +
           (line.empty() ? "" : ": " + base::shortened(line, 64));
}

// Where in the called functions it happened, and from where the code shown was called.
std::string calls(const Place& place, const std::string& indent, const ReportStyle& style, const Colours& c) {
    const size_t at = place.shown();
    std::string text;
    const auto add = [&](const std::string& words) {
        constexpr size_t margin = 9;
        const std::string line = indent + words;
        text += fmt::format("       {}| {}{}\n", c.dim,
                            style.width > margin ? base::shortened(line, style.width - margin) : line, c.end);
    };
    const auto whose = [&](const CallFrame& call) {
        return call.function == "lambda" ? said(style, "the lambda") : call.function + "()";
    };
    for (size_t i = at; i-- > 0;)
        if (!place.calls[i].function.empty() && (i == 0 || i + 1 == at))
            add(said(style, "in {}, {}", whose(place.calls[i]), mention(place.calls[i], place.file, style)));
    for (size_t i = at + 1; i < place.calls.size(); ++i) {
        const std::string& function = place.calls[i - 1].function;
        if (!function.empty() && (i == at + 1 || i + 1 == place.calls.size()))
            add(said(style, "in {}, called from {}", whose(place.calls[i - 1]),
                     mention(place.calls[i], place.file, style)));
    }
    return text;
}

// The line with a caret under the place, and what happened there: beside the caret where there is room, else below it.
std::string with_caret(std::string line, const Place& place, const ReportStyle& style, const Colours& c) {
    const size_t width = style.width;
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
    std::string message;
    if (below)
        text += fmt::format("       {}|{} {}{}^{}\n", c.dim, c.end, std::string(caret, ' '), c.red, c.end);
    for (bool first = !below; std::getline(lines, message); first = false) {
        if (first)
            message[caret] = '^';
        text += fmt::format("       {}|{} {}{}{}\n", c.dim, c.end, c.red, message, c.end);
    }
    return text + calls(place, indent, style, c);
}

std::string excerpt(const Place& place, const std::string& first_file, const ReportStyle& style, const Colours& c) {
    const std::string shown_file = shown(place.file, style.base);
    if (place.file.empty() || place.line == 0)
        return what(place).empty() ? "" : base::wrapped(what(place), "        | ", style.width);
    std::string text;
    if (place.file != first_file)
        text += fmt::format("  {}{}{}\n", c.dim, said(style, "in {}:{}", shown_file, place.line), c.end);
    const std::string line = source_line(place.file, place.line);
    if (line.empty())
        text += base::wrapped(fmt::format("{}:{}: {}", shown_file, place.line, what(place)), "  ", style.width) +
                calls(place, "  ", style, c);
    else
        text += with_caret(line, place, style, c);
    if (!place.alternatives.empty())
        text += fmt::format("       {}|{} {}\n", c.dim, c.end,
                            said(style, "(or {})", fmt::to_string(fmt::join(place.alternatives, ", "))));
    return text;
}

// What an editor makes a mark of: where, and all there is to say there, in one line.
std::string mark(const Place& place, std::string_view severity, std::string words, const Finding& finding,
                 const ReportStyle& style) {
    std::ranges::replace(words, '\n', ' ');
    return fmt::format("{}:{}:{}: {}: {} [{}]\n", shown(place.file, style.base), place.line, std::max(place.column, 1u),
                       severity, words, rule_name(finding));
}

bool has_line(const Place& place) {
    return !place.file.empty() && place.line;
}

std::string for_editors(const Finding& finding, const ReportStyle& style, const Colours& c) {
    std::string out = mark(finding.first, name(finding.severity),
                           finding.message + (finding.remedy.empty() ? "" : " " + finding.remedy), finding, style);
    out += excerpt(finding.first, finding.first.file, style, c);
    for (const auto& other : finding.others) {
        if (has_line(other))
            out += mark(other, "note", what(other), finding, style);
        out += excerpt(other, other.file, style, c);
    }
    return out;
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
        c = {"\033[1m", "\033[1;31m", "\033[1;35m", "\033[33m", "\033[2m", "\033[0m"};
    const std::string rule = rule_name(finding), &file = finding.first.file;
    const std::string where = file.empty() ? said(style, "kernel {}", finding.kernel)
                                           : fmt::format("{}:{}", shown(file, style.base), finding.first.line);
    std::string out;
    if (style.gcc && has_line(finding.first)) {
        out = for_editors(finding, style, c);
    } else {
        out = fmt::format("{}{}: {}{}{}: {}{}\n", c.bold, where, colour_of(finding.severity, c),
                          style.wording(name(finding.severity)), c.end, c.bold, rule + c.end);
        out += excerpt(finding.first, file, style, c);
        for (const auto& other : finding.others)
            out += excerpt(other, file, style, c);
        for (const std::string& paragraph : {finding.message, finding.remedy})
            if (!paragraph.empty())
                out += base::wrapped(paragraph, "  ", style.width);
    }
    if (!style.again.empty() && finding.severity != Severity::note)
        out += last_line(said(style, "again: {} --schedule {} --seed {}{}", style.again,
                              name(finding.schedule.completion), finding.schedule.seed, style.again_end),
                         said(style, "more: ./lab explain {}", rule), c, style.width);
    return out;
}

} // namespace sim::hazards
