#include <fmt/format.h>

#include "grader/formats/escape.h"
#include "grader/formats/explain.h"
#include "grader/formats/formats.h"

namespace grader::junit_format {

namespace {

std::string junit(const std::vector<json>& results) {
    std::string suites;
    size_t tests = 0, failures = 0;
    for (const auto& result : results)
        for (const auto& lab : result.at("labs")) {
            const std::string name =
                markup(result.at("submission").get<std::string>() + "/" + lab.at("lab").get<std::string>());
            std::string cases;
            size_t failed = 0;
            for (const auto& item : lab.at("cases")) {
                cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", name,
                                     markup(item.at("name").get<std::string>()));
                if (item.at("passed").get<bool>() || item.contains("person")) {
                    cases += "/>\n";
                    continue;
                }
                ++failed;
                cases += fmt::format("><failure type=\"{0}\" message=\"{0}\">{1}</failure></testcase>\n",
                                     markup(outcome_of(item)), markup(explanation(lab, item)));
            }
            suites += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\">\n"
                                  "{}  </testsuite>\n",
                                  name, lab.at("cases").size(), failed, cases);
            tests += lab.at("cases").size();
            failures += failed;
        }
    return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{}\" failures=\"{}\">\n{}"
                       "</testsuites>\n",
                       tests, failures, suites);
}

Written write(const Source& source) {
    return {junit(source.results)};
}

} // namespace

GRADE_FORMAT = {
    .name = "junit",
    .help = "JUnit's XML",
    .write = write,
    .report = "junit",
    .extension = ".xml",
};

} // namespace grader::junit_format
