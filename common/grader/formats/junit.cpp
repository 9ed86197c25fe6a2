#include "base/junit.h"

#include "grader/formats/explain.h"
#include "grader/formats/formats.h"

namespace grader::junit_format {
namespace {

base::JunitSuite suite_of(const Result& result, const LabResult& lab) {
    base::JunitSuite suite(result.submission + "/" + lab.lab);
    for (const auto& item : lab.cases)
        if (item.passed || item.by_person)
            suite.passed(item.name);
        else
            suite.failure(item.name, outcome_of(item), outcome_of(item), explanation(lab, item));
    return suite;
}

Written write(const Source& source) {
    std::vector<base::JunitSuite> suites;
    for (const auto& result : source.results)
        for (const auto& lab : result.labs)
            suites.push_back(suite_of(result, lab));
    return {base::junit(suites)};
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
