#include "check/verdict.h"

#include <array>

namespace check {
namespace {

constexpr std::array<std::string_view, 9> names{"internal",   "not-supported", "hazard",    "crash", "timeout",
                                                "cuda-error", "wrong",         "mechanism", "passed"};

// Output of a hostile program need not be UTF-8, and nlohmann-json throws on what is not.
std::string printable(const std::string& text) {
    return nlohmann::json::parse(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

} // namespace

std::string_view name(Verdict verdict) {
    return names[static_cast<size_t>(verdict)];
}

Verdict verdict_named(std::string_view name) {
    for (size_t i = 0; i < names.size(); ++i)
        if (names[i] == name)
            return static_cast<Verdict>(i);
    return Verdict::internal;
}

nlohmann::json to_json(const RunResult& result) {
    nlohmann::json measured = nlohmann::json::array();
    for (const auto& one : result.measured)
        measured.push_back({one.variant, one.bytes, one.seconds});
    return {{"verdict", name(result.verdict)},
            {"message", printable(result.message)},
            {"call", printable(result.call)},
            {"findings", result.findings},
            {"output", printable(result.output)},
            {"seconds", result.seconds},
            {"measured", measured},
            {"stuck", result.stuck}};
}

RunResult run_result(const nlohmann::json& json) {
    RunResult result;
    result.verdict = verdict_named(json.at("verdict").get<std::string>());
    result.message = json.at("message");
    result.call = json.at("call");
    result.findings = json.at("findings");
    result.output = json.at("output");
    result.seconds = json.at("seconds");
    for (const auto& one : json.at("measured"))
        result.measured.push_back({one.at(0), one.at(1), one.at(2)});
    result.stuck = json.at("stuck");
    return result;
}

} // namespace check
