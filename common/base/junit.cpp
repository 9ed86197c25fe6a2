#include "base/junit.h"

#include <fmt/chrono.h>

#include "base/utf8.h"

namespace base {
namespace {

constexpr const char* declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

std::string seconds(double value) {
    return fmt::format("{:.3f}", value);
}

} // namespace

void JunitSuite::skipped(const std::string& test, const std::string& why) {
    ++skips_;
    add(test, empty_element("skipped", {{"message", valid_utf8(why)}}));
}

Markup JunitSuite::result(const char* kind, const std::string& type, const std::string& message,
                          const std::string& text) {
    return element(kind, {{"type", valid_utf8(type)}, {"message", valid_utf8(message)}}, valid_utf8(text));
}

void JunitSuite::add(const std::string& test, const Markup& result) {
    ++tests_;
    const Attributes attributes{{"classname", valid_utf8(name_)}, {"name", valid_utf8(test)}};
    cases_ += "    ";
    cases_ += (result.empty() ? empty_element("testcase", attributes) : element("testcase", attributes, result)) + "\n";
}

Markup JunitSuite::written() const {
    const Markup content =
        "\n" + cases_ + (output_.empty() ? "" : "    " + element("system-out", valid_utf8(output_)) + "\n") + "  ";
    const std::string name = valid_utf8(name_);
    const Markup suite =
        run_ ? element("testsuite",
                       {{"name", name},
                        {"tests", tests_},
                        {"failures", failures_},
                        {"errors", errors_},
                        {"skipped", skips_},
                        {"time", seconds(run_->seconds)},
                        {"timestamp", fmt::format("{:%Y-%m-%dT%H:%M:%S}",
                                                  fmt::gmtime(std::chrono::system_clock::to_time_t(run_->began)))}},
                       content)
             : element("testsuite",
                       {{"name", name},
                        {"tests", tests_},
                        {"failures", failures_},
                        {"errors", errors_},
                        {"skipped", skips_}},
                       content);
    return "  " + suite + "\n";
}

std::string junit(const std::vector<JunitSuite>& suites, const std::string& name) {
    size_t tests = 0, failures = 0, errors = 0, skips = 0;
    double time = 0;
    Markup content = "\n";
    for (const auto& suite : suites) {
        tests += suite.tests_;
        failures += suite.failures_;
        errors += suite.errors_;
        skips += suite.skips_;
        time += suite.run_ ? suite.run_->seconds : 0;
        content += suite.written();
    }
    const Markup whole = name.empty() ? element("testsuites", {{"tests", tests}, {"failures", failures}}, content)
                                      : element("testsuites",
                                                {{"name", name},
                                                 {"tests", tests},
                                                 {"failures", failures},
                                                 {"errors", errors},
                                                 {"skipped", skips},
                                                 {"time", seconds(time)}},
                                                content);
    return declaration + whole.text() + "\n";
}

} // namespace base
