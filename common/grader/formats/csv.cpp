#include "grader/formats/escape.h"
#include "grader/formats/formats.h"

namespace grader {

std::string csv(const std::vector<json>& results) {
    if (results.empty())
        return {};
    std::vector<std::string> header{"submission", "name", "score", "possible"};
    for (const auto& lab : results.front().at("labs"))
        header.push_back(lab.at("lab"));
    header.insert(header.end(), {"submitted", "remarks"});
    std::string text = csv_line(header);
    for (const auto& result : results) {
        std::string remarks;
        for (const auto& problem : result.at("problems"))
            remarks += (remarks.empty() ? "" : "; ") + problem.get<std::string>();
        std::string names;
        for (const auto& student : result.value("students", json::array()))
            names += (names.empty() ? "" : "; ") + student.at("name").get<std::string>();
        std::vector<std::string> fields{result.at("submission"), names, number(result.at("score")),
                                        number(result.at("possible"))};
        for (const auto& lab : result.at("labs"))
            fields.push_back(number(lab.at("score")));
        fields.push_back(result.value("submitted", ""));
        fields.push_back(remarks);
        text += csv_line(fields);
    }
    return text;
}

} // namespace grader
