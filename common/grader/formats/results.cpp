#include "grader/formats/results.h"

#include <cmath>
#include <set>

#include "grader/formats/escape.h"

namespace grader {

json for_students(json result) {
    for (const char* key : {"seed", "seed_policy", "repeat_seed", "inputs", "timing"})
        result.erase(key);
    double score = 0, possible = 0;
    for (auto& lab : result.at("labs")) {
        const double worth = lab.at("weight").get<double>() * (1 - lab.at("late_percent").get<double>() / 100);
        double points = 0, all = 0;
        json cases = json::array();
        for (const auto& item : lab.at("cases"))
            if (!item.value("hidden", false)) {
                points += item.at("passed").get<bool>() ? item.at("points").get<double>() : 0;
                all += item.at("points").get<double>();
                cases.push_back(item);
            }
        lab["hidden_cases"] = lab.at("cases").size() - cases.size();
        lab["cases"] = cases;
        for (const char* key : {"warnings", "notes", "failing_schedules", "passed"}) // of hidden cases too
            lab.erase(key);
        lab["points"] = points;
        lab["possible"] = all;
        lab["score"] = std::round(points * worth * 1e6) / 1e6;
        lab["out_of"] = std::round(all * lab.at("weight").get<double>() * 1e6) / 1e6;
        score += lab.at("score").get<double>();
        possible += lab.at("out_of").get<double>();
    }
    result["score"] = std::round(score * 1e6) / 1e6;
    result["possible"] = std::round(possible * 1e6) / 1e6;
    return result;
}

std::vector<std::string> labs_of(const std::vector<json>& results) {
    std::set<std::string> labs;
    for (const auto& result : results)
        for (const auto& lab : result.at("labs"))
            labs.insert(lab.at("lab").get<std::string>());
    return {labs.begin(), labs.end()};
}

const json* result_of(const json& result, std::string_view lab) {
    for (const auto& one : result.at("labs"))
        if (one.at("lab") == lab)
            return &one;
    return nullptr;
}

std::string names_of(const json& result) {
    std::string names;
    for (const auto& student : result.value("students", json::array()))
        names += (names.empty() ? "" : ", ") + student.at("name").get<std::string>();
    return names;
}

std::string test_name(const json& lab, const json& item) {
    return plain(lab.at("lab").get<std::string>() + ": " + item.at("name").get<std::string>());
}

std::string lines(const json& document) {
    return document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace grader
