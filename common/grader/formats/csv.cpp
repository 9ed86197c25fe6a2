#include <fmt/format.h>

#include "grader/formats/escape.h"
#include "grader/formats/formats.h"
#include "grader/formats/results.h"

namespace grader::csv_format {

namespace {

std::string csv(const std::vector<json>& results) {
    if (results.empty())
        return {};
    std::vector<std::string> header{"submission", "name", "score", "possible"};
    const auto labs = labs_of(results);
    header.insert(header.end(), labs.begin(), labs.end());
    header.insert(header.end(), {"submitted", "remarks"});
    std::string text = csv_line(header);
    for (const auto& result : results) {
        std::string remarks;
        for (const auto& problem : result.at("problems"))
            remarks += (remarks.empty() ? "" : "; ") + problem.get<std::string>();
        for (const auto& lab : result.at("labs"))
            if (const std::string person = lab.value("person", ""); !person.empty())
                remarks += fmt::format("{}{}: {}", remarks.empty() ? "" : "; ",
                                       lab.at("lab").get<std::string>().substr(0, 2), person);
        std::string names;
        for (const auto& student : result.value("students", json::array()))
            names += (names.empty() ? "" : "; ") + student.at("name").get<std::string>();
        std::vector<std::string> fields{result.at("submission"), names, number(result.at("score")),
                                        number(result.at("possible"))};
        for (const auto& name : labs) {
            const json* lab = result_of(result, name);
            fields.push_back(lab ? number(lab->at("score")) : "");
        }
        fields.push_back(result.value("submitted", ""));
        fields.push_back(remarks);
        text += csv_line(fields);
    }
    return text;
}

Written write(const Source& source) {
    return {csv(source.results)};
}

} // namespace

GRADE_FORMAT = {
    .name = "csv",
    .help = "grades.csv",
    .write = write,
    .report = "grades",
    .extension = ".csv",
};

} // namespace grader::csv_format
