// Workflow commands of GitHub Actions, which become annotations beside the lines of a pull request.
#include <array>

#include <fmt/format.h>

#include "runner/formats/format.h"
#include "sim/report/text.h"

namespace runner::formats {
namespace github_commands {
namespace {

using sim::hazards::Severity;

// GitHub shows no more of one level for a step; the rest would be dropped without a word.
constexpr size_t limit = 10;

constexpr std::array<const char*, 3> level_names{"error", "warning", "notice"};

std::string escaped(std::string_view text, bool property) {
    std::string out;
    for (const char c : text)
        if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        else
            out += c;
    return out;
}

struct Annotation {
    std::string file, title, message;
    uint32_t line = 0, column = 0;
};

using Levels = std::array<std::vector<Annotation>, 3>;

std::string command(size_t level, const Annotation& annotation) {
    std::string properties;
    const auto add = [&](const char* name, const std::string& value) {
        properties += fmt::format("{}{}={}", properties.empty() ? " " : ",", name, escaped(value, true));
    };
    if (!annotation.file.empty())
        add("file", annotation.file);
    if (annotation.line)
        add("line", std::to_string(annotation.line));
    if (annotation.column)
        add("col", std::to_string(annotation.column));
    add("title", annotation.title);
    return fmt::format("::{}{}::{}\n", level_names[level], properties, escaped(annotation.message, false));
}

void add_findings(const Program& program, bool all, const Root& root, Levels& levels) {
    for (const auto& one : grouped_findings(program, all)) {
        const auto& finding = *one.cause;
        std::string message;
        const auto add = [&](const std::string& line) {
            if (!line.empty())
                message += (message.empty() ? "" : "\n") + line;
        };
        add(what(finding.first));
        for (const auto& other : finding.others)
            add((other.line ? fmt::format("{}:{}: ", root.shown(other.file), other.line) : "") + what(other));
        add(why(finding));
        add(consequences(one, root));
        const bool somewhere = !finding.first.file.empty() && finding.first.line;
        levels[static_cast<size_t>(finding.severity)].push_back(
            {root.shown(somewhere ? finding.first.file : program.file), sim::hazards::rule_name(finding), message,
             somewhere ? finding.first.line : 0, somewhere ? finding.first.column : 0});
    }
}

std::string text_of(const Levels& levels) {
    std::string text;
    for (size_t level = 0; level < levels.size(); ++level) {
        const auto& all = levels[level];
        const size_t shown = all.size() > limit ? limit - 1 : all.size();
        for (size_t i = 0; i < shown; ++i)
            text += command(level, all[i]);
        if (shown < all.size())
            text += command(level, {"", "asynclab",
                                    fmt::format("and {} more: the log of this step shows them", all.size() - shown)});
    }
    return text;
}

} // namespace
} // namespace github_commands

std::string github(const Invocation& invocation) {
    const Root root;
    github_commands::Levels levels;
    for (const Program& program : invocation.programs) {
        github_commands::add_findings(program, invocation.all, root, levels);
        for (const auto& [name, what, next] : troubles(program))
            levels[0].push_back({root.shown(program.file), name, what + (next.empty() ? "" : "\nnext: " + next)});
    }
    for (const auto& remark : invocation.remarks())
        levels[static_cast<size_t>(invocation.severity(remark))].push_back(
            {root.shown(invocation.suppressions->file().string()),
             remark.unused ? "unused suppression" : "expired suppression", remark.text, remark.line});
    return github_commands::text_of(levels);
}

} // namespace runner::formats
