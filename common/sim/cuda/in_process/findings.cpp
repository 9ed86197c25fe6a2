#include "sim/cuda/in_process/findings.h"

#include <cstdio>
#include <fstream>

#include <nlohmann/json.hpp>

#include "sim/rules/rule.h"

namespace sim::cuda {

namespace {

std::string where(const hazards::Place& place) {
    return place.file.empty() ? std::string() : place.file + ":" + std::to_string(place.line);
}

std::string what(const hazards::Place& place) {
    const std::string threads = place.threads.text();
    return threads + (threads.empty() || place.action.empty() ? "" : " ") + place.action;
}

std::string remedy(const hazards::Finding& finding) {
    return finding.remedy.empty() ? finding.rule->remedy.text() : finding.remedy;
}

nlohmann::json to_json(const hazards::Place& place) {
    nlohmann::json calls = nlohmann::json::array();
    for (const auto& call : place.calls)
        calls.push_back(
            {{"file", call.file}, {"line", call.line}, {"column", call.column}, {"function", call.function}});
    return {{"file", place.file},     {"line", place.line},
            {"column", place.column}, {"threads", place.threads.text()},
            {"action", place.action}, {"alternatives", place.alternatives},
            {"calls", calls}};
}

nlohmann::json to_json(const hazards::Finding& finding) {
    nlohmann::json others = nlohmann::json::array();
    for (const auto& other : finding.others)
        others.push_back(to_json(other));
    return {{"rule", finding.rule->name},
            {"severity", name(finding.severity)},
            {"kernel", finding.kernel},
            {"first", to_json(finding.first)},
            {"others", others},
            {"message", finding.message},
            {"remedy", remedy(finding)},
            {"count", finding.count},
            {"schedule", hazards::name(finding.schedule.completion)},
            {"seed", finding.schedule.seed}};
}

} // namespace

std::string text(const hazards::Finding& finding) {
    std::string out = "asynclab: " + std::string(name(finding.severity)) + " [" + std::string(finding.rule->name) +
                      "] in " + finding.kernel + "\n";
    const auto line = [&](const hazards::Place& place) {
        const std::string at = where(place);
        if (!at.empty() || !what(place).empty())
            out += "  " + at + (at.empty() ? "" : ": ") + what(place) + "\n";
    };
    line(finding.first);
    for (const auto& other : finding.others)
        line(other);
    for (const std::string& more : {finding.message, remedy(finding)})
        if (!more.empty())
            out += "  " + more + "\n";
    if (finding.count > 1)
        out += "  (" + std::to_string(finding.count) + " times)\n";
    return out;
}

void print(const hazards::Reporter& reporter, const std::string& json_file) {
    nlohmann::json all = nlohmann::json::array();
    for (const auto severity : {hazards::Severity::error, hazards::Severity::warning, hazards::Severity::note})
        for (const hazards::Finding& finding : reporter.findings())
            if (finding.severity == severity && finding.rule) {
                std::fputs(text(finding).c_str(), stderr);
                all.push_back(to_json(finding));
            }
    if (json_file.empty())
        return;
    std::ofstream file(json_file);
    file << all.dump(2) << '\n';
    if (!file)
        std::fprintf(stderr, "asynclab: cannot write %s (ASYNCLAB_JSON)\n", json_file.c_str());
}

} // namespace sim::cuda
