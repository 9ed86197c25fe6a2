// JUnit's XML: a test suite for each program. Each subject of the judgement is a test case, and so is each error.
#include <fmt/format.h>

#include "base/junit.h"
#include "runner/formats/format.h"
#include "sim/report/text.h"

namespace runner::formats {
namespace junit_suites {
namespace {

using base::JunitSuite;
using sim::hazards::Severity;

std::string place(const sim::hazards::Finding& finding, const Root& root) {
    return finding.first.line ? fmt::format("{}:{}", root.shown(finding.first.file), finding.first.line)
                              : "kernel " + finding.kernel;
}

JunitSuite suite_of(const Program& program, bool all, const Root& root) {
    JunitSuite suite(root.shown(program.file));
    sim::hazards::ReportStyle style;
    style.base = root.folder();
    for (const auto& one : grouped_findings(program, all)) {
        const auto& finding = *one.cause;
        const std::string rule = sim::hazards::rule_name(finding);
        if (finding.severity != Severity::error) {
            suite.output(text(one, style) + "\n");
            continue;
        }
        suite.failure(rule + " at " + place(finding, root), rule, finding.message, text(one, style));
    }
    for (const auto& [finding, by] : program.outcome.suppressed)
        suite.skipped(sim::hazards::rule_name(finding) + " at " + place(finding, root), by->reason);
    std::string gaps;
    for (const auto& [name, what, next] : troubles(program)) {
        const std::string text = what + (next.empty() ? "" : "\nnext: " + next);
        if (name == "incomplete")
            gaps += text + "\n";
        else if (name == "failed")
            suite.failure("the program's exit code", name, what, text);
        else
            suite.error("the program runs", name, what.substr(0, what.find('\n')), text);
    }
    if (!gaps.empty())
        suite.error("everything was judged", "incomplete", "not everything was judged", gaps);
    const bool judged = gaps.empty() && (program.verdict == "passed" || program.verdict == "failed");
    if (judged) {
        suite.passed("no hazards");
        suite.passed("everything was judged");
    }
    return suite;
}

JunitSuite suite_of(const Invocation& invocation, const Suppressions& suppressions, const Root& root) {
    JunitSuite suite(root.shown(suppressions.file().string()));
    size_t errors = 0;
    for (const auto& remark : invocation.remarks())
        if (invocation.severity(remark) == Severity::error) {
            ++errors;
            suite.failure(fmt::format("line {}", remark.line), "unused suppression", remark.text, remark.text);
        } else {
            suite.output(fmt::format("line {}: {}\n", remark.line, remark.text));
        }
    if (!errors)
        suite.passed("suppressions");
    return suite;
}

} // namespace
} // namespace junit_suites

std::string junit(const Invocation& invocation) {
    const Root root;
    std::vector<base::JunitSuite> suites;
    for (const Program& program : invocation.programs)
        suites.emplace_back(junit_suites::suite_of(program, invocation.all, root))
            .ran({program.seconds, invocation.began});
    if (invocation.suppressions)
        suites.emplace_back(junit_suites::suite_of(invocation, *invocation.suppressions, root))
            .ran({0, invocation.began});
    return base::junit(suites, "asynclab");
}

} // namespace runner::formats
