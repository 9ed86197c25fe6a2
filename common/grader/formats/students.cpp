#include <cmath>

#include "grader/formats/formats.h"

namespace grader {

json for_students(json result) {
    for (const char* key : {"seed", "seed_policy", "inputs", "timing"})
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
        for (const char* key : {"notes", "failing_schedules", "passed"}) // of hidden cases too
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

} // namespace grader
