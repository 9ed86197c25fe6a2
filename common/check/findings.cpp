#include "check/findings.h"

#include <fstream>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "check/wrap.h"
#include "sim/rules/rule.h"

namespace check {
namespace {

using nlohmann::json;

json place(const sim::hazards::Place& place) {
    return {{"file", place.file},
            {"line", place.line},
            {"column", place.column},
            {"threads", place.threads.text()},
            {"action", place.action},
            {"kernel", place.kernel},
            {"alternatives", place.alternatives}};
}

const char* warps_name(sim::machine::Schedule::Warps warps) {
    using enum sim::machine::Schedule::Warps;
    return warps == round_robin ? "round-robin" : warps == one_ahead ? "one-ahead" : "random";
}

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

std::string what(const json& place) {
    const std::string threads = place.at("threads"), action = place.at("action");
    return threads.empty() ? action : threads + (action.empty() ? "" : " " + action);
}

// The source line with a caret under the place, and what happened there.
std::string excerpt(const json& place, const std::string& shown_file, const std::string& first_file, const Colours& c,
                    size_t width) {
    const std::string file = place.at("file");
    const uint32_t number = place.at("line");
    if (file.empty() || number == 0)
        return what(place).empty() ? "" : fmt::format("        | {}\n", what(place));
    std::string text;
    if (file != first_file)
        text += fmt::format("  {}in {}:{}{}\n", c.dim, shown_file, number, c.end);
    std::string line = source_line(file, number);
    if (!line.empty()) {
        const size_t indent = line.find_first_not_of(' ');
        const size_t column = place.at("column").get<size_t>();
        size_t caret = column > 1 && column <= line.size() ? column - 1 : indent;
        if (caret == std::string::npos)
            caret = 0;
        constexpr size_t margin = 9; // in front of the source
        if (width > margin + 1 && line.size() + margin > width && caret + margin < width)
            line = line.substr(0, width - margin - 1) + "…";
        text += fmt::format("  {}{:4} |{} {}\n", c.dim, number, c.end, line);
        // Beside the caret where there is room, else below it.
        const bool below = what(place).empty() || (width && width < margin + caret + 24);
        const std::string margin_told = below ? "  " : std::string(caret + 2, ' ');
        std::istringstream told(wrapped(what(place), margin_told, width > margin ? width - margin : 0));
        std::string line_told;
        if (below)
            text += fmt::format("       {}|{} {}{}^{}\n", c.dim, c.end, std::string(caret, ' '), c.red, c.end);
        for (bool first = !below; std::getline(told, line_told); first = false) {
            if (first)
                line_told[caret] = '^';
            text += fmt::format("       {}|{} {}{}{}\n", c.dim, c.end, c.red, line_told, c.end);
        }
    } else {
        text += fmt::format("  {}:{}: {}\n", shown_file, number, what(place));
    }
    if (const auto& more = place.at("alternatives"); !more.empty()) {
        std::string lines;
        for (const auto& other : more)
            lines += (lines.empty() ? "" : ", ") + other.get<std::string>();
        text += fmt::format("       {}|{} (or {})\n", c.dim, c.end, lines);
    }
    return text;
}

} // namespace

json to_json(const sim::hazards::Finding& finding) {
    json others = json::array();
    for (const auto& other : finding.others)
        others.push_back(place(other));
    return {{"rule", finding.rule ? finding.rule->name : "unnamed"},
            {"severity", finding.note ? "note" : "error"},
            {"kernel", finding.kernel},
            {"first", place(finding.first)},
            {"others", others},
            {"message", finding.message},
            {"remedy", finding.remedy.empty() && finding.rule ? std::string(finding.rule->remedy) : finding.remedy},
            {"count", finding.count},
            {"schedule", sim::hazards::name(finding.schedule.completion)},
            {"warps", warps_name(finding.schedule.warps)},
            {"seed", finding.schedule.seed}};
}

json to_json(const sim::hazards::Reporter& reporter) {
    json all = json::array();
    for (const bool note : {false, true})
        for (const auto& finding : reporter.findings())
            if (finding.note == note)
                all.push_back(to_json(finding));
    return all;
}

std::string text(const json& finding, const ReportStyle& style) {
    Colours c;
    if (style.colour)
        c = {"\033[1m", "\033[1;31m", "\033[33m", "\033[2m", "\033[0m"};
    const json& first = finding.at("first");
    const bool note = finding.at("severity") == "note";
    const std::string rule = finding.at("rule"), file = first.at("file");
    std::string out;
    const uint32_t line = first.at("line");
    const std::string where = file.empty() ? "kernel " + finding.at("kernel").get<std::string>()
                                           : fmt::format("{}:{}", shown(file, style.base), line);
    out += fmt::format("{}{}: {}{}{}: {}{}\n", c.bold, where, note ? c.yellow : c.red, note ? "note" : "error", c.end,
                       c.bold, rule + c.end);
    out += excerpt(first, shown(file, style.base), file, c, style.width);
    for (const auto& other : finding.at("others"))
        out += excerpt(other, shown(other.at("file"), style.base), file, c, style.width);
    const std::string message = finding.at("message"), remedy = finding.at("remedy");
    if (!message.empty())
        out += wrapped(message, "  ", style.width);
    if (!remedy.empty())
        out += wrapped(remedy, "  ", style.width);
    if (!style.again.empty() && !note)
        out += fmt::format("  {}again: {} --schedule {} --seed {}{}     more: ./lab explain {}{}\n", c.dim, style.again,
                           finding.at("schedule").get<std::string>(), finding.at("seed").get<uint64_t>(),
                           style.again_end, rule, c.end);
    return out;
}

} // namespace check
