#include "grader/formats/explain.h"

#include <fmt/format.h>

#include "base/escape.h"
#include "sim/report/text.h"

namespace grader {

using check::Verdict;

namespace {

std::string line_of(const std::string& text, size_t number) {
    size_t begin = 0;
    for (; number > 1 && begin != std::string::npos; --number)
        if ((begin = text.find('\n', begin)) != std::string::npos)
            ++begin;
    return begin == std::string::npos ? "" : text.substr(begin, std::min<size_t>(text.find('\n', begin) - begin, 200));
}

std::string place(const sim::hazards::Place& place, const std::string& source) {
    const std::string threads = place.threads.text();
    std::string text = place.file.empty() ? std::string("  ") : fmt::format("  {}:{}: ", place.file, place.line);
    text += threads + (threads.empty() ? "" : " ") + place.action + "\n";
    if (place.file == "kernel.cu")
        if (const std::string code = line_of(source, place.line); !code.empty())
            text += fmt::format("    {:4} | {}\n", place.line, code);
    return text;
}

} // namespace

std::string outcome_of(const CaseResult& item) {
    const Finding* error = item.error();
    return item.verdict == Verdict::hazard && error ? sim::hazards::rule_name(*error)
                                                    : std::string(check::name(item.verdict));
}

std::string explanation(const LabResult& lab, const CaseResult& item) {
    using sim::hazards::Severity;
    if (item.verdict == Verdict::missing)
        return "nothing was handed in for this lab\n";
    if (item.verdict == Verdict::compile_error)
        return base::plain(lab.handed_in->compile_errors);
    std::string text;
    for (const auto& finding : item.findings()) {
        if (finding.severity == Severity::note)
            continue;
        text += (finding.severity == Severity::warning ? "warning: " : "") + sim::hazards::rule_name(finding) + "\n" +
                place(finding.first, lab.handed_in->source);
        for (const auto& other : finding.others)
            text += place(other, lab.handed_in->source);
        text += "  " + finding.message + "\n  " + finding.remedy + "\n";
    }
    if (!item.message().empty())
        text += item.message() + "\n";
    if (item.run && !item.run->call.empty() && !text.empty())
        text += fmt::format("in {}, {}, {} schedule\n", item.run->call, item.run->target, item.run->schedule);
    return base::plain(text);
}

} // namespace grader
