// JUnit's XML: a test suite for each program. What was looked at is a test case each, and so is each error.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "grader/formats/escape.h"
#include "runner/formats/format.h"
#include "sim/report/text.h"

namespace runner::formats {
namespace junit_suites {
namespace {

using sim::hazards::Severity;

std::string xml(const std::string& text) {
    return grader::markup(valid_utf8(text));
}

class Suite {
  public:
    explicit Suite(std::string name) : name_(std::move(name)) {}

    void passed(const std::string& test) { add(test, ""); }
    void failure(const std::string& test, const std::string& type, const std::string& message,
                 const std::string& text) {
        ++failures;
        add(test, element("failure", type, message, text));
    }
    /// It could not be found out whether there are failures.
    void error(const std::string& test, const std::string& type, const std::string& message, const std::string& text) {
        ++errors;
        add(test, element("error", type, message, text));
    }
    void skipped(const std::string& test, const std::string& why) {
        ++skips;
        add(test, fmt::format("<skipped message=\"{}\"/>", xml(why)));
    }
    void output(const std::string& text) { output_ += text; }

    std::string text(double seconds, std::chrono::system_clock::time_point began) const {
        return fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
                           "time=\"{:.3f}\" timestamp=\"{:%Y-%m-%dT%H:%M:%S}\">\n{}{}  </testsuite>\n",
                           xml(name_), tests, failures, errors, skips, seconds,
                           fmt::gmtime(std::chrono::system_clock::to_time_t(began)), cases_,
                           output_.empty() ? "" : "    <system-out>" + xml(output_) + "</system-out>\n");
    }

    size_t tests = 0, failures = 0, errors = 0, skips = 0;

  private:
    static std::string element(const char* name, const std::string& type, const std::string& message,
                               const std::string& text) {
        return fmt::format("<{0} type=\"{1}\" message=\"{2}\">{3}</{0}>", name, xml(type), xml(message), xml(text));
    }
    void add(const std::string& test, const std::string& result) {
        ++tests;
        cases_ += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml(name_), xml(test));
        cases_ += result.empty() ? "/>\n" : ">" + result + "</testcase>\n";
    }

    std::string name_, cases_, output_;
};

std::string place(const sim::hazards::Finding& finding, const Root& root) {
    return finding.first.line ? fmt::format("{}:{}", root.shown(finding.first.file), finding.first.line)
                              : "kernel " + finding.kernel;
}

Suite suite_of(const Program& program, bool all, const Root& root) {
    Suite suite(root.shown(program.file));
    sim::hazards::ReportStyle style;
    style.base = root.folder();
    for (const auto& one : told(program, all)) {
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
        const std::string told = what + (next.empty() ? "" : "\nnext: " + next);
        if (name == "incomplete")
            gaps += told + "\n";
        else if (name == "failed")
            suite.failure("the program's exit code", name, what, told);
        else
            suite.error("the program runs", name, what.substr(0, what.find('\n')), told);
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

Suite suite_of(const Invocation& invocation, const Suppressions& suppressions, const Root& root) {
    Suite suite(root.shown(suppressions.file().string()));
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
    using junit_suites::Suite, junit_suites::suite_of;
    const Root root;
    std::string suites;
    size_t tests = 0, failures = 0, errors = 0, skips = 0;
    double seconds = 0;
    const auto add = [&](const Suite& suite, double time) {
        suites += suite.text(time, invocation.began);
        tests += suite.tests;
        failures += suite.failures;
        errors += suite.errors;
        skips += suite.skips;
        seconds += time;
    };
    for (const Program& program : invocation.programs)
        add(suite_of(program, invocation.all, root), program.seconds);
    if (invocation.suppressions)
        add(suite_of(invocation, *invocation.suppressions, root), 0);
    return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"asynclab\" tests=\"{}\" "
                       "failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n{}</testsuites>\n",
                       tests, failures, errors, skips, seconds, suites);
}

} // namespace runner::formats
