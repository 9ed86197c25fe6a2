#include "runner/report.h"

#include <algorithm>

#include <fmt/format.h>

#include "check/findings.h"
#include "check/wrap.h"
#include "runner/names.h"

namespace runner {
namespace {

using check::Verdict;

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

// What a program printed must not move the cursor or change colours.
std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        out += (byte >= 0x20 && byte != 0x7f) || c == '\n' || c == '\t' ? std::string(1, c)
                                                                        : fmt::format("\\x{:02x}", byte);
    }
    return out;
}

// Why a case failed, in a few words.
std::string reason(const check::RunResult& result) {
    switch (result.verdict) {
    case Verdict::hazard:
        for (const auto& finding : result.findings)
            if (finding.at("severity") == "error")
                return finding.at("rule");
        return "hazard";
    case Verdict::crash:
        return "the program died";
    case Verdict::timeout:
        return "does not end";
    case Verdict::cuda_error:
        return "CUDA error";
    case Verdict::wrong:
        return "wrong result";
    case Verdict::mechanism:
        return "right result, wrong means";
    case Verdict::not_supported:
        return "the simulated device cannot run this";
    case Verdict::internal:
        return "a fault of asynclab itself";
    default:
        return {};
    }
}

} // namespace

std::string what_happened(const CaseReport& item, const LabReport& report, const Look& look) {
    const auto& result = item.result;
    std::string out;
    int shown_findings = 0;
    for (const auto& finding : result.findings) {
        if (finding.at("severity") != "error")
            continue;
        if (++shown_findings > 3)
            continue;
        out += "\n" + check::text(finding, {look.colour, report.source.parent_path(), "", "", look.width});
    }
    if (shown_findings > 3)
        out += fmt::format("\n… and {} more hazards\n", shown_findings - 3);
    if (!result.message.empty())
        out += "\n" + check::wrapped(result.message, "  ", look.width);
    if (!result.output.empty()) {
        std::string output = result.output;
        if (output.size() > 1200)
            output = "…" + output.substr(output.size() - 1200);
        out += "\n  The program printed:\n" + indented(escaped(output), "    ");
    }
    out += fmt::format("\n  in case \"{}\"{}, {}, {}\n", item.info.name, result.call.empty() ? "" : ": " + result.call,
                       item.target.arch(),
                       item.gpu ? "on the GPU" : fmt::format("{} schedule", sim::hazards::name(item.schedule.completion)));
    return out;
}

namespace {

std::string why(const CaseReport& item) {
    return (item.gpu ? "on the GPU: " : "") + reason(item.result);
}

std::string details(const CaseReport& item, const LabReport& report, const std::string& again, const Look& look) {
    std::string out = what_happened(item, report, look);
    out += fmt::format("  again: {} ", again);
    out += item.gpu ? "--device gpu"
                    : fmt::format("--schedule {} --seed {}", sim::hazards::name(item.schedule.completion),
                                  item.schedule.seed);
    const std::string rule = item.result.verdict == Verdict::hazard ? reason(item.result) : "";
    if (!rule.empty() && rule != "hazard")
        out += fmt::format("     more: ./lab explain {}", rule);
    return out + "\n";
}

} // namespace

std::string text(const LabReport& report, const check::Lab& lab, const std::string& again, const Look& look) {
    Colours c;
    if (look.colour)
        c = {"\033[1m", "\033[32m", "\033[31m", "\033[33m", "\033[2m", "\033[0m"};
    std::string out =
        fmt::format("{}{} {}{}  {}\n", c.bold, number_of(report.lab), lab.title, c.end, shown(report.source));
    const bool compiled = report.compile_errors.empty();
    if (!compiled) {
        out += fmt::format("\n{}It does not compile:{}\n\n{}", c.red, c.end, indented(report.compile_errors, "  "));
    } else {
        size_t widest = 0;
        for (const auto& item : report.cases)
            widest = std::max(widest, item.info.name.size());
        const bool narrow = look.width && look.width < widest + 34;
        for (const auto& item : report.cases)
            out += narrow && !item.passed()
                       ? fmt::format("  {}✗{} {}\n      {}\n", c.red, c.end, item.info.name, why(item))
                   : item.passed() ? fmt::format("  {}✓{} {:<{}}  {:2}\n", c.green, c.end, item.info.name,
                                                 narrow ? 0 : widest, item.info.points)
                                   : fmt::format("  {}✗{} {:<{}}   -   {}\n", c.red, c.end, item.info.name, widest,
                                                 why(item));
        if (const auto* failure = report.first_failure())
            out += details(*failure, report, again, look);
        else if (std::ranges::any_of(report.cases, [](const auto& item) { return !item.result.output.empty(); }))
            out += fmt::format("\n  The program printed something: {} --json shows it\n", again);
        if (const auto& notes = report.notes; !notes.empty()) {
            out += "\n";
            for (size_t i = 0; i < std::min<size_t>(notes.size(), 3); ++i)
                out += check::text(notes[i], {look.colour, report.source.parent_path(), "", "", look.width}) +
                       fmt::format("  more: ./lab explain {}\n", notes[i].at("rule").get<std::string>());
            if (notes.size() > 3)
                out += fmt::format("… and {} more notes ({} --json has all)\n", notes.size() - 3, again);
        }
        if (!report.warnings.empty())
            out += "\n" + indented(report.warnings, "  ");
    }
    if (report.where == Where::gpu) {
        const auto right =
            std::ranges::count_if(report.cases, [](const auto& item) { return item.passed() && item.runs; });
        out +=
            fmt::format("\n{}{}{} of {} cases are right on the GPU{}: {}   {:.1f} s\n", c.bold,
                        report.passed() ? c.green : "", right, report.cases.size(), c.end, report.gpu, report.seconds);
        return out + "Points are for what the simulated device sees, too: hazards and mechanisms (--device both)\n";
    }
    if (report.where == Where::both)
        out += fmt::format("\n{}: {}", report.gpu.find(" cannot ") == std::string::npos ? "also on" : "not on the GPU",
                           report.gpu);
    out += fmt::format("\n{}{}{} of {} points{}   {:.1f} s", c.bold, report.passed() ? c.green : "", report.points,
                       report.possible, c.end, report.seconds);
    if (report.compile_seconds >= 0.1)
        out += fmt::format(" ({:.1f} s to compile)", report.compile_seconds);
    return out + "\n";
}

} // namespace runner
