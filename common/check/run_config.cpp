#include "check/run_config.h"

#include "base/fields.h"
#include "isolation/fields.h"
#include "sim/report/fields.h"

using check::RunConfig;

template <>
inline constexpr auto base::fields<check::Target> = std::tuple{
    Field{"sm", &check::Target::sm},
    Field{"accelerated", &check::Target::accelerated},
};

template <>
inline constexpr auto base::fields<RunConfig> = std::tuple{
    Field{"program", &RunConfig::program},
    Field{"target", &RunConfig::target},
    Field{"gpu", &RunConfig::gpu},
    Field{"under", &RunConfig::under},
    Field{"blocks_per_sm", &RunConfig::blocks_per_sm},
    Field{"only_variant", &RunConfig::only_variant},
    Field{"ptx", &RunConfig::ptx},
    Field{"schedule", &RunConfig::schedule},
    Field{"data_seed", &RunConfig::data_seed},
    Field{"constants", &RunConfig::constants},
    Field{"sms", &RunConfig::sms},
    Field{"max_instructions", &RunConfig::max_instructions},
    Field{"timeout", &RunConfig::timeout},
    Field{"protocol", &RunConfig::protocol},
    Field{"estimate", &RunConfig::estimate},
    Field{"means", &RunConfig::means},
    Field{"repeat", &RunConfig::repeat},
    Field{"repeat_seed", &RunConfig::repeat_seed},
    Field{"environment", &RunConfig::environment},
    Field{"box", &RunConfig::box},
    Field{"source", &RunConfig::source},
};

namespace check {

nlohmann::json to_json(const RunConfig& config) {
    return base::to_json(config);
}

RunConfig run_config(const nlohmann::json& json) {
    return base::from_json<RunConfig>(json);
}

} // namespace check
