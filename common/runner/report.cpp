#include "runner/report.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"
#include "runner/exercise_texts.h"
#include "runner/language.h"
#include "runner/names.h"
#include "runner/own_output.h"
#include "runner/translation.h"
#include "sim/report/causes.h"

namespace runner {

namespace fs = std::filesystem;
using base::shown;
using judge::CaseReport, judge::LabReport, judge::Where;
namespace {

using check::Verdict;
using sim::hazards::Severity;

struct Colours {
    const char *bold = "", *green = "", *red = "", *yellow = "", *dim = "", *end = "";
};

std::string indented(const std::string& text, const char* with) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        out += with + text.substr(at, end - at) + "\n";
        at = end + 1;
    }
    return out;
}

// A program's output must not move the cursor or change colours.
std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        out += (byte >= 0x20 && byte != 0x7f) || c == '\n' || c == '\t' ? std::string(1, c)
                                                                        : fmt::format("\\x{:02x}", byte);
    }
    return out;
}

/// The rule that a failed case is named after; empty: none.
std::string rule_of(const check::RunResult& result) {
    const auto first = std::ranges::find_if(result.findings, is_error);
    return result.verdict == Verdict::hazard && first != result.findings.end() ? rule_name(*first) : "";
}

// Why a case failed, in a few words.
std::string reason(const check::RunResult& result) {
    switch (result.verdict) {
    case Verdict::hazard: {
        const std::string rule = rule_of(result);
        return rule.empty() ? said("hazard") : rule;
    }
    case Verdict::crash:
        return said("the program died");
    case Verdict::timeout:
        return said("does not end");
    case Verdict::cuda_error:
        return said("CUDA error");
    case Verdict::wrong:
        return said("wrong result");
    case Verdict::mechanism:
        return result.partly ? said("right, with part of the overlap") : said("right result, wrong means");
    case Verdict::unearned:
        return said("right, not counted yet");
    case Verdict::incomplete:
        return said("not judged to its end");
    case Verdict::not_supported:
        return said("the simulated device cannot run this");
    case Verdict::internal:
        return said("a fault of asynclab itself");
    default:
        return {};
    }
}

sim::hazards::ReportStyle style(const LabReport& report, const Look& look) {
    sim::hazards::ReportStyle style{look.colour, report.source.parent_path(), "", "", look.width};
    if (look.gcc)
        style.base = fs::current_path();
    style.gcc = look.gcc;
    style.wording = wording;
    return style;
}

std::string translated_text(const sim::hazards::FindingGroup& group, const sim::hazards::ReportStyle& style,
                            bool remedies) {
    sim::hazards::Finding cause = translated(*group.cause);
    if (!remedies)
        cause.remedy.clear();
    return text(sim::hazards::FindingGroup{&cause, group.consequences}, style);
}

// For editors: findings without a line in the program are marked on its first one.
std::string mark(const CaseReport& item, const LabReport& report) {
    const auto& result = item.result;
    const auto has_line = [](const auto& finding) { return is_error(finding) && finding.first.line; };
    if (std::ranges::any_of(result.findings, has_line))
        return {};
    std::string words = result.message.empty() ? reason(result) : reason(result) + ": " + translated(result.message);
    std::ranges::replace(words, '\n', ' ');
    return fmt::format("\n{}:1:1: error: {}\n", shown(report.source),
                       said("case \"{}\": {}", translated(item.info.name), words));
}

std::string first_lines(const std::string& text, size_t most) {
    std::string out;
    size_t lines = 0, at = 0;
    for (; at < text.size() && lines < most; ++lines) {
        const size_t end = std::min(text.find('\n', at), text.size());
        out += base::shortened(text.substr(at, end - at), 160) + "\n";
        at = end + 1;
    }
    return at < text.size() ? out + "…\n" : out;
}

} // namespace

bool is_error(const sim::hazards::Finding& finding) {
    return finding.severity == Severity::error;
}

std::string what_happened(const CaseReport& item, const LabReport& report, const Look& look) {
    const auto& result = item.result;
    std::string out;
    int shown_findings = 0;
    for (const auto& group : sim::hazards::grouped_by_cause(result.findings)) {
        if (group.cause->severity == Severity::note || ++shown_findings > 3)
            continue;
        out += "\n" + translated_text(group, style(report, look), look.remedies);
    }
    if (look.gcc)
        out += mark(item, report);
    if (shown_findings > 3)
        out += "\n" + said("… and {} more hazards", shown_findings - 3) + "\n";
    if (!result.message.empty())
        out += "\n" + base::wrapped(translated(result.message), "  ", look.width);
    if (std::string output = own_output(result); !output.empty()) {
        if (output.size() > 1200)
            output = "…" + output.substr(output.size() - 1200);
        out += "\n  " + said("The program printed:") + "\n" + indented(escaped(output), "    ");
    }
    const std::string where =
        said("in case \"{}\"{}, {}, {}", translated(item.info.name), result.call.empty() ? "" : ": " + result.call,
             item.target.arch(),
             item.gpu ? said("on the GPU") : said("{} schedule", sim::hazards::name(item.schedule.completion)));
    return out + "\n" + base::wrapped(where, "  ", look.width);
}

namespace {

std::string why(const CaseReport& item) {
    if (item.cut_short)
        return said("not run to its end, since another case exceeds the time limit");
    if (!item.runs)
        return said("not run");
    return item.gpu ? said("on the GPU: {}", reason(item.result)) : reason(item.result);
}

std::string details(const CaseReport& item, const LabReport& report, const std::string& again, const Look& look) {
    std::string out = what_happened(item, report, look);
    std::string last = "  " + said("again: {}", again) + " ";
    last += item.gpu ? "--device gpu"
                     : fmt::format("--schedule {} --seed {}", sim::hazards::name(item.schedule.completion),
                                   item.schedule.seed);
    if (item.result.repeated)
        last += fmt::format(" --repeat-seed {}", report.repeat_seed);
    if (const std::string rule = rule_of(item.result); !rule.empty()) {
        const std::string more = said("more: ./lab explain {}", rule);
        const bool fits = !look.width || base::columns(last) + 5 + base::columns(more) <= look.width;
        last += (fits ? "     " : "\n  ") + more;
    }
    return out + base::wrapped(last, "", look.width);
}

std::string title_of(const check::Lab& lab, std::string_view name) {
    return lab_of(name) == name || language().empty() ? translated(lab.title)
                                                      : read_texts(base::find_paths(), name, language()).title;
}

std::string case_list(const LabReport& report, const Colours& c, const Look& look) {
    const size_t width = look.width;
    std::string out;
    size_t widest = 0;
    for (const auto& item : report.cases)
        widest = std::max(widest, base::columns(translated(item.info.name)));
    const bool narrow = width && width < widest + 34;
    std::set<std::string> needed;
    bool partly = false, overlap = false;
    for (const auto& item : report.cases) {
        const std::string name = translated(item.info.name);
        const std::string padding(widest - base::columns(name), ' ');
        if (item.passed())
            out += fmt::format("  {}✓{} {}{}  {:2}\n", c.green, c.end, name, narrow ? "" : padding, item.info.points);
        else {
            const bool right = item.result.verdict == Verdict::unearned;
            const char *mark = right ? "○" : item.earned ? "◐" : "✗", *colour = right ? c.yellow : c.red;
            const std::string earned = item.earned ? std::to_string(item.earned) : "-";
            const std::string what = look.symptoms && !rule_of(item.result).empty() ? said("a hazard") : why(item);
            out += narrow
                       ? fmt::format("  {}{}{} {}\n      {}\n", colour, mark, c.end, name, what)
                       : fmt::format("  {}{}{} {}{}  {:>2}   {}\n", colour, mark, c.end, name, padding, earned, what);
            (item.result.partly ? overlap : partly) |= item.earned > 0;
            if (right)
                needed.insert(item.result.message);
        }
    }
    if (partly)
        out +=
            "\n" + base::wrapped(said("◐: part of the points, because it is right apart from the hazard"), "  ", width);
    if (overlap)
        out += "\n" + base::wrapped(said("◐: as much of the points as copies overlap the work"), "  ", width);
    for (const auto& message : needed)
        out += "\n" + base::wrapped(said("○: {}", translated(message)), "  ", width);
    return out;
}

// Warnings or notes, the first three of them.
std::string list_of(const std::vector<sim::hazards::Finding>& findings, const char* called, const LabReport& report,
                    const std::string& again, const Look& look) {
    if (findings.empty())
        return {};
    std::string out = "\n";
    for (size_t i = 0; i < std::min<size_t>(findings.size(), 3); ++i)
        out += text(translated(findings[i]), style(report, look)) + "  " +
               said("more: ./lab explain {}", rule_name(findings[i])) + "\n";
    if (findings.size() > 3)
        out += said("… and {} more {} ({} --json has all)", findings.size() - 3, said(called), again) + "\n";
    return out;
}

std::string summary(const LabReport& report, const Colours& c, size_t width) {
    if (report.where == Where::gpu) {
        const auto right = std::ranges::count_if(report.cases, [](const auto& item) { return item.passed(); });
        return fmt::format("\n{}{}{}{}: {}   {:.1f} s\n{}\n", c.bold, report.passed() ? c.green : "",
                           said("{} of {} cases are right on the GPU", right, report.cases.size()), c.end, report.gpu,
                           report.seconds,
                           said("Points are for what the simulated device sees, too: hazards and mechanisms (--device "
                                "both)"));
    }
    std::string out;
    if (report.where == Where::both)
        out += fmt::format("\n{}: {}", report.gpu_runs_it ? said("also on") : said("not on the GPU"), report.gpu);
    out += fmt::format("\n{}{}{}{}   {:.1f} s", c.bold, report.passed() ? c.green : "",
                       said("{} of {} points", report.points, report.possible), c.end, report.seconds);
    if (report.compile_seconds >= 0.1)
        out += " " + said("({:.1f} s to compile)", report.compile_seconds);
    out += "\n";
    if (!report.only.empty())
        out += base::wrapped(
            said("Only the cases with \"{}\" in their names were run, so these points are not recorded.", report.only),
            "", width);
    return out;
}

} // namespace

std::string text(const LabReport& report, const check::Lab& lab, const std::string& again, const Look& look) {
    Colours c;
    if (look.colour)
        c = {"\033[1m", "\033[32m", "\033[31m", "\033[33m", "\033[2m", "\033[0m"};
    std::string out = fmt::format("{}{} {}{}  {}\n", c.bold, number_of(report.lab), title_of(lab, report.lab), c.end,
                                  shown(report.source));
    if (!report.compile_errors.empty())
        return out +
               fmt::format("\n{}{}{}\n\n{}", c.red, said("It does not compile:"), c.end,
                           indented(report.compile_errors, look.gcc ? "" : "  ")) +
               summary(report, c, look.width);
    out += case_list(report, c, look);
    if (const auto* failure = report.first_failure(); failure && look.symptoms)
        return out + summary(report, c, look.width);
    else if (failure)
        out += details(*failure, report, again, look);
    else
        for (const auto& item : report.cases)
            if (!item.result.output.empty()) {
                out += "\n  " + said("In case \"{}\", the program printed:", translated(item.info.name)) + "\n" +
                       indented(first_lines(escaped(item.result.output), 10), "    ") +
                       base::wrapped(said("({} --json shows what it printed in each case)", again), "  ", look.width);
                break;
            }
    out += list_of(report.warnings, "warnings", report, again, look);
    out += list_of(report.notes, "notes", report, again, look);
    if (!report.compile_warnings.empty())
        out += "\n" + indented(report.compile_warnings, look.gcc ? "" : "  ");
    return out + summary(report, c, look.width);
}

} // namespace runner
