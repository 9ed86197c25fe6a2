#include "grader/reports.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "grader/formats/escape.h"
#include "grader/formats/formats.h"
#include "grader/grade.h"
#include "runner/paths.h"

namespace grader {

std::vector<json> read_results(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code problem;
    if (fs::is_regular_file(folder, problem))
        files.push_back(folder);
    for (const auto& entry : fs::directory_iterator(folder, problem))
        if (entry.path().extension() == ".json")
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<json> results;
    for (const auto& file : files)
        try {
            json result = json::parse(runner::read_file(file));
            if (result.at("format") != format_version)
                throw runner::Problem{file.string() + " was made by another version of asynclab", "grade again"};
            std::ignore = csv({result});
            results.push_back(std::move(result));
        } catch (const json::exception&) {
            throw runner::Problem{file.string() + " is damaged, or no result of ./lab grade",
                                  "remove it and grade again"};
        }
    if (results.empty())
        throw runner::Problem{"there are no results in " + folder.string(),
                              "grade first: ./lab grade submissions/ --out graded/"};
    return results;
}

void write_reports(const fs::path& out) {
    const auto results = read_results(out / "results");
    runner::write_file(out / "grades.csv", csv(results));
    runner::write_file(out / "junit.xml", junit(results));
    runner::write_file(out / "report.html", html(results));
    for (const auto& result : results) {
        const std::string name = file_name(result.at("submission").get<std::string>());
        runner::write_file(out / "gradescope" / (name + ".json"), gradescope(result).dump(1) + "\n");
        runner::write_file(out / "students" / (name + ".html"), student_html(result));
    }
    fmt::print("wrote grades.csv, junit.xml, report.html, gradescope/ and students/ in {}\n", out.string());
}

} // namespace grader
