#include "grader/reports.h"

#include <algorithm>

#include <fmt/format.h>

#include "grader/formats/formats.h"
#include "runner/paths.h"

namespace grader {
namespace {

std::vector<json> read_results(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator(folder, problem))
        if (entry.path().extension() == ".json")
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<json> results;
    for (const auto& file : files)
        try {
            results.push_back(json::parse(runner::read_file(file)));
        } catch (const json::exception&) {
            throw runner::Problem{file.string() + " is damaged", "remove it and grade again"};
        }
    if (results.empty())
        throw runner::Problem{"there are no results in " + folder.string(), "./lab grade … --out " + folder.string()};
    return results;
}

} // namespace

void write_reports(const fs::path& out) {
    const auto results = read_results(out / "results");
    runner::write_file(out / "grades.csv", csv(results));
    runner::write_file(out / "junit.xml", junit(results));
    runner::write_file(out / "report.html", html(results, "asynclab"));
    for (const auto& result : results)
        runner::write_file(out / "gradescope" / (result.at("submission").get<std::string>() + ".json"),
                           gradescope(result).dump(1) + "\n");
    fmt::print("wrote grades.csv, junit.xml, report.html and gradescope/ in {}\n", out.string());
}

} // namespace grader
