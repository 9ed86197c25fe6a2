// The report as on a terminal, without colours when it is written to a file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files.h"
#include "runner/formats/format.h"
#include "runner/translation.h"
#include "sim/report/text.h"

namespace runner::formats {
namespace plain_report {
namespace {

// The program's own kernels that were never launched. A library's have files of their own.
std::string unused_kernels(const Outcome& outcome, const Program& program) {
    std::vector<std::string> names;
    for (const auto& kernel : outcome.executed.unused)
        if (fs::path(kernel.file).filename() == fs::path(program.file).filename())
            names.push_back(fmt::format("{} (line {})", kernel.name, kernel.line));
    if (outcome.executed.kernels.empty() && !outcome.executed.unused.empty() && outcome.gaps.empty())
        return "lab: no kernel was launched, so none was judged\n";
    if (names.empty() || outcome.executed.kernels.empty())
        return {};
    constexpr size_t most = 4;
    const size_t shown = std::min(names.size(), most), more = names.size() - shown;
    return fmt::format("lab: {} never launched, so nothing was judged of {}: {}{}\n",
                       names.size() == 1 ? "1 kernel was" : fmt::format("{} kernels were", names.size()),
                       names.size() == 1 ? "it" : "them", fmt::join(names.begin(), names.begin() + long(shown), ", "),
                       more ? fmt::format(" and {} more", more) : "");
}

// Everything to report except findings and the program's own output.
std::string rest(const Outcome& outcome, const Program& program) {
    std::string text;
    if (outcome.failed_under && outcome.code != code_timeout && !outcome.not_supported)
        text += fmt::format("lab: under another schedule the program exits with {}: {} --schedule {} --seed {}{}\n",
                            outcome.code, program.again, sim::hazards::name(outcome.failed_under->completion),
                            outcome.failed_under->seed, program.again_end);
    if (outcome.verdict() == "incomplete" || outcome.verdict() == "hazard")
        for (const auto& [what, next] : outcome.gaps)
            text += fmt::format("lab: incomplete: {}\n     next: {}\n", what, next);
    text += unused_kernels(outcome, program);
    if (outcome.protocol.wrong)
        text += fmt::format("lab: the device in that order: {} --replay{}\n", program.again, program.again_end);
    if (outcome.protocol.notable && !outcome.errors)
        text += fmt::format("lab: {}\n", outcome.protocol.text());
    if (outcome.run < outcome.of && outcome.verdict() == "passed")
        text += fmt::format("lab: {} of {} schedules run, to save time (--schedules {} runs all of them)\n",
                            outcome.run, outcome.of, outcome.of);
    return text;
}

} // namespace
} // namespace plain_report

std::string report(const Invocation& invocation, const Program& program, bool colour, size_t width) {
    if (!program.problem.empty())
        return fmt::format("{}lab: error: {}\n{}", program.details, program.problem,
                           program.next.empty() ? "" : "     next: " + program.next + "\n");
    const sim::hazards::ReportStyle style{colour,  fs::current_path(), program.again, program.again_end, width, "--all",
                                          wording, invocation.gcc};
    std::string all;
    for (const auto& one : grouped_findings(program, invocation.all)) {
        const sim::hazards::Finding cause = translated(*one.cause);
        all += "\n" + sim::hazards::text(sim::hazards::FindingGroup{&cause, one.consequences}, style);
    }
    if (const size_t count = program.outcome.suppressed.size())
        all += fmt::format("lab: {} finding{} suppressed by {}\n", count, count == 1 ? "" : "s",
                           base::shown(invocation.suppressions->file()));
    return all + plain_report::rest(program.outcome, program);
}

std::string remarks(const Invocation& invocation) {
    std::string text;
    for (const auto& remark : invocation.remarks())
        text += fmt::format("{}:{}: {}: {}\n", base::shown(invocation.suppressions->file()), remark.line,
                            sim::hazards::name(invocation.severity(remark)), remark.text);
    return text;
}

std::string text(const Invocation& invocation) {
    std::string all;
    for (const Program& program : invocation.programs)
        all += report(invocation, program, false, 0) +
               fmt::format("lab: {}: {}\n", base::shown(program.file), program.verdict);
    return all + remarks(invocation);
}

std::string gcc(const Invocation& invocation) {
    Invocation for_editors = invocation;
    for_editors.gcc = true;
    return text(for_editors);
}

} // namespace runner::formats
