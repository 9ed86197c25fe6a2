#include "grader/convert.h"

#include <chrono>

#include <fmt/format.h>
#include <unistd.h>

#include "grader/course.h"
#include "grader/reports.h"
#include "runner/paths.h"

namespace grader {
namespace {

std::string lines(const json& value) {
    return value.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::map<std::string, std::string> environment() {
    std::map<std::string, std::string> all;
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view setting = *entry;
        if (const size_t equals = setting.find('='); equals != std::string_view::npos)
            all.emplace(setting.substr(0, equals), setting.substr(equals + 1));
    }
    return all;
}

std::string now() {
    return text_of(std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
}

} // namespace

const std::vector<Conversion>& conversions() {
    static const std::vector<Conversion> all{
        {"csv", "grades.csv"},
        {"junit", "JUnit's XML"},
        {"html", "the report of a class"},
        {"student", "the page of one student", false, true},
        {"gradescope", "Gradescope's results.json", false, true},
        {"prairielearn", "PrairieLearn's results.json", false, true},
        {"classroom50", "Classroom 50's result.json", false, true},
        {"classroom", "GitHub Classroom: a line for $GITHUB_OUTPUT", false, true},
        {"summary", "Markdown for $GITHUB_STEP_SUMMARY", false, true},
        {"nbgrader", "the columns of nbgrader export"},
        {"canvas", "fills in a gradebook exported from Canvas", true},
        {"moodle", "fills in a grading worksheet or an export of Moodle", true},
    };
    return all;
}

Filled convert(const Conversion& conversion, const ConvertOptions& options) {
    const bool batch = fs::is_directory(options.results / "results");
    const auto results = read_results(batch ? options.results / "results" : options.results);
    if (conversion.single && results.size() != 1)
        throw runner::Problem{fmt::format("{} is made of one result, {} has {}", conversion.name,
                                          options.results.string(), results.size()),
                              "name one: graded/results/ID.json"};
    if (conversion.fills && options.exported.empty())
        throw runner::Problem{fmt::format("{} fills in a file that you have exported", conversion.name),
                              "--into EXPORT.csv"};
    const std::string_view name = conversion.name;
    const json& result = results.front();
    if (name == "canvas")
        return canvas(results, runner::read_file(options.exported), options.fill);
    if (name == "moodle")
        return moodle(results, runner::read_file(options.exported), options.fill);
    return {name == "csv"            ? csv(results)
            : name == "junit"        ? junit(results)
            : name == "html"         ? html(results)
            : name == "nbgrader"     ? nbgrader(results)
            : name == "student"      ? student_html(result)
            : name == "gradescope"   ? lines(gradescope(result))
            : name == "prairielearn" ? lines(prairielearn(result))
            : name == "classroom50"  ? lines(classroom50(result, environment(), now()))
            : name == "classroom"    ? classroom_reporter(result)
                                     : step_summary(result),
            {}};
}

} // namespace grader
