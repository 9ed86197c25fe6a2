#include "grader/formats/results.h"

#include <set>

#include <nlohmann/json.hpp>

#include "base/escape.h"

namespace grader {

Result for_students(Result result) {
    result.seed = result.repeat_seed = 0;
    result.seed_policy.clear();
    result.inputs.clear();
    result.timing.clear();
    for (auto& lab : result.labs) {
        const double worth = lab.weight * (1 - lab.late_percent / 100);
        lab.hidden_cases = std::erase_if(lab.cases, [](const auto& item) { return item.hidden; });
        lab.passed = false;  // of hidden cases, too
        if (lab.handed_in) { // the same
            lab.handed_in->warnings.clear();
            lab.handed_in->notes.clear();
            lab.handed_in->failing_schedules.clear();
        }
        lab.points = lab.possible = 0;
        for (const auto& item : lab.cases) {
            lab.points += item.earned;
            lab.possible += item.points;
        }
        lab.score = rounded(lab.points * worth);
        lab.out_of = rounded(lab.possible * lab.weight);
    }
    result.add_up();
    return result;
}

std::vector<std::string> labs_of(const std::vector<Result>& results) {
    std::set<std::string> labs;
    for (const auto& result : results)
        for (const auto& lab : result.labs)
            labs.insert(lab.lab);
    return {labs.begin(), labs.end()};
}

std::string names_of(const Result& result, std::string_view between) {
    std::string names;
    for (const auto& student : result.students)
        names += (names.empty() ? "" : std::string(between)) + student.name;
    return names;
}

std::string test_name(const LabResult& lab, const CaseResult& item) {
    return base::plain(lab.lab + ": " + item.name);
}

Worth worth_of(const LabResult& lab) {
    return {lab.points > 0 ? lab.score / lab.points : 0, lab.possible > 0 ? lab.out_of / lab.possible : 0};
}

std::string lines(const nlohmann::json& document) {
    return document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace grader
