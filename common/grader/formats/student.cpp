#include <fmt/format.h>

#include "grader/formats/escape.h"
#include "grader/formats/formats.h"
#include "grader/formats/page.h"
#include "grader/formats/results.h"

namespace grader::student_format {

namespace {

std::string student_html(const json& whole) {
    const json result = for_students(whole);
    return page_head(result.value("course", "asynclab")) +
           fmt::format("<h2>{}: {} of {}</h2>\n", markup(result.at("submission").get<std::string>()),
                       number(result.at("score")), number(result.at("possible"))) +
           findings(result) + page_end;
}

Written write(const Source& source) {
    return {student_html(source.results.front())};
}

} // namespace

GRADE_FORMAT = {
    .name = "student",
    .help = "the page of one student",
    .of = Format::Of::each,
    .write = write,
    .report = "students",
    .extension = ".html",
};

} // namespace grader::student_format
