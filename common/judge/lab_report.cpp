#include <algorithm>

#include <nlohmann/json.hpp>

#include "judge/checker.h"
#include "sim/protocol/fields.h"
#include "sim/report/json.h"

namespace judge {

bool CaseReport::incomplete() const {
    return !passed() && result.verdict >= check::Verdict::incomplete;
}

check::Verdict CaseReport::verdict() const {
    if (result.verdict == check::Verdict::passed && !runs)
        return check::Verdict::not_run;
    return incomplete() ? check::Verdict::incomplete : result.verdict;
}

bool LabReport::passed() const {
    return compile_errors.empty() && !cases.empty() &&
           std::ranges::all_of(cases, [](const auto& item) { return item.passed(); });
}

bool LabReport::incomplete() const {
    return compile_errors.empty() && !passed() &&
           std::ranges::all_of(cases, [](const auto& item) { return item.passed() || item.incomplete(); });
}

const CaseReport* LabReport::first_failure() const {
    const CaseReport* worst = nullptr;
    for (const auto& item : cases)
        if (item.result.verdict != check::Verdict::passed && (!worst || item.result.verdict < worst->result.verdict))
            worst = &item;
    return worst;
}

nlohmann::json to_json(const LabReport& report) {
    nlohmann::json cases = nlohmann::json::array();
    for (const auto& item : report.cases) {
        nlohmann::json one = check::to_json(item.result);
        one["name"] = item.info.name;
        one["points"] = item.info.points;
        one["earned"] = item.earned;
        one["passed"] = report.compile_errors.empty() && item.passed();
        one["runs"] = item.runs;
        one["target"] = item.target.arch();
        one["device"] = item.gpu ? "gpu" : "sim";
        one["schedule"] = sim::hazards::name(item.schedule.completion);
        one["seed"] = item.schedule.seed;
        one.erase("stuck");
        one.erase("any_target");
        one.erase("measured");
        one.erase("estimate");
        one.erase("processor_seconds");
        one.erase("kernel_stopped");
        one["verdict"] = check::name(report.compile_errors.empty() ? item.verdict() : check::Verdict::compile_error);
        one["protocol"] = base::to_json(item.protocol);
        one["executed"] = sim::hazards::to_json(item.executed);
        cases.push_back(one);
    }
    nlohmann::json whole{{"lab", report.lab},
                         {"file", report.source.string()},
                         {"gpu", report.gpu},
                         {"passed", report.passed()},
                         {"points", report.points},
                         {"possible", report.possible},
                         {"compile_errors", report.compile_errors},
                         {"cases", cases},
                         {"warnings", sim::hazards::to_json(report.warnings)},
                         {"notes", sim::hazards::to_json(report.notes)},
                         {"failing_schedules", report.failing_schedules},
                         {"repeat_seed", report.repeat_seed},
                         {"processor_seconds", report.processor_seconds},
                         {"seconds", report.seconds},
                         {"compile_seconds", report.compile_seconds}};
    if (!report.constants.empty())
        whole["constants"] = report.constants;
    return whole;
}

} // namespace judge
