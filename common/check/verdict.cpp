#include "check/verdict.h"

#include "check/fields.h"

using namespace check;

template <>
inline constexpr auto base::fields<Measurement> = std::tuple{
    Field{"variant", &Measurement::variant}, Field{"bytes", &Measurement::bytes},
    Field{"seconds", &Measurement::seconds}, Field{"operations", &Measurement::operations},
    Field{"library", &Measurement::library},
};

template <>
inline constexpr auto base::fields<RunResult> = std::tuple{
    Field{"verdict", &RunResult::verdict},
    Field{"message", &RunResult::message},
    Field{"call", &RunResult::call},
    Field{"findings", &RunResult::findings},
    Field{"incomplete", &RunResult::gaps},
    Field{"executed", &RunResult::executed},
    Field{"protocol", &RunResult::protocol},
    Field{"estimate", &RunResult::estimate},
    Field{"output", &RunResult::output},
    Field{"seconds", &RunResult::seconds},
    Field{"repeated", &RunResult::repeated},
    Field{"kernel_stopped", &RunResult::kernel_stopped},
    Field{"processor_seconds", &RunResult::processor_seconds},
    Field{"measured", &RunResult::measured},
    Field{"right", &RunResult::right},
    Field{"compared", &RunResult::compared},
    Field{"partly", &RunResult::partly},
    Field{"share", &RunResult::share},
    Field{"stuck", &RunResult::stuck},
    Field{"any_target", &RunResult::any_target},
};

namespace check {

std::string_view name(Verdict verdict) {
    return base::name_of(verdict);
}

nlohmann::json to_json(const RunResult& result) {
    return base::to_json(result);
}

RunResult run_result(const nlohmann::json& json) {
    return base::from_json<RunResult>(json);
}

} // namespace check
