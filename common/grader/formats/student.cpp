#include <fmt/format.h>

#include "grader/formats/formats.h"
#include "grader/formats/page.h"
#include "grader/formats/results.h"
#include "grader/result/text.h"

namespace grader::student_format {

namespace {

std::string student_html(const Result& whole) {
    const Result result = for_students(whole);
    return page(result.course, base::element("h2", fmt::format("{}: {} of {}", result.submission, number(result.score),
                                                               number(result.possible))) +
                                   "\n" + findings(result));
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
