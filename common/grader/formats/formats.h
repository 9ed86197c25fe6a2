// What a result becomes for others: each a pure function of results (docs/grading.md describes them). Whatever a
// student had a say in is escaped for where it ends up.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace grader {

using nlohmann::json;

/// What students may see of it: hidden cases are left out, and counted neither in points nor in possible points. So are
/// seeds.
json for_students(json result);

/// The labs of which any result tells, in order. Results need not be of the same ones.
std::vector<std::string> labs_of(const std::vector<json>& results);
/// What a result says of a lab; nullptr: nothing.
const json* result_of(const json& result, std::string_view lab);

/// All submissions, one line each: id, name, score, points of each lab, remarks.
std::string csv(const std::vector<json>& results);
/// One submission's results.json: https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format
json gradescope(const json& result);
/// A test suite for each submission and lab, as Jenkins, GitLab and GitHub actions read it.
std::string junit(const std::vector<json>& results);
/// One page that needs nothing else: table, distributions, most frequent rules, each student's findings with source.
std::string html(const std::vector<json>& results);
/// The page of one student.
std::string student_html(const json& result);

/// result.json of Classroom 50 ("classroom50/result/v1"). `environment`: what its runner tells (CLASSROOM, ASSIGNMENT,
/// OWNER, SUBMISSION_TAG …); `now` as RFC 3339.
json classroom50(const json& result, const std::map<std::string, std::string>& environment, std::string_view now);
/// What GitHub Classroom's autograding-grading-reporter reads from an environment variable NAME_RESULTS, as the line
/// "result=…" for $GITHUB_OUTPUT.
std::string classroom_reporter(const json& result);
/// For $GITHUB_STEP_SUMMARY.
std::string step_summary(const json& result);
/// PrairieLearn's results.json: https://prairielearn.readthedocs.io/en/latest/externalGrading/#grading-results
json prairielearn(const json& result);
/// The columns of `nbgrader export`: a line for each student and lab.
std::string nbgrader(const std::vector<json>& results);

/// A gradebook that an instructor has exported, with scores filled in.
struct Filled {
    std::string text;                 ///< the same file, but for one column
    std::vector<std::string> remarks; ///< whom it lacks, and whose result is missing
};
struct FillOptions {
    std::string column; ///< empty: the only one that it could be
    std::string lab;    ///< its name; empty: the sum of all
};
/// Canvas: Grades, Export Entire Gradebook. Students are matched by ID, SIS User ID, SIS Login ID or Integration ID.
Filled canvas(const std::vector<json>& results, std::string_view exported, const FillOptions& options);
/// Moodle: an assignment's grading worksheet, or an export of grades. Students are matched by participant number, ID
/// number, username or e-mail address.
Filled moodle(const std::vector<json>& results, std::string_view exported, const FillOptions& options);

} // namespace grader
