#include "sim/timeline/model.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/problem.h"

namespace sim::timeline {

namespace {

struct Parameter {
    const char* name;
    uint32_t Model::*value;
    uint32_t least; ///< 0: it may be nothing
};

constexpr Parameter parameters[] = {
    {"schedulers", &Model::schedulers, 1},
    {"issue_interval", &Model::issue_interval, 0},
    {"dependent", &Model::dependent, 0},
    {"branch", &Model::branch, 0},
    {"copy_issue", &Model::copy_issue, 0},
    {"copy_again", &Model::copy_again, 0},
    {"latency", &Model::latency, 0},
    {"latency_load_50", &Model::latency_load_50, 0},
    {"latency_load_75", &Model::latency_load_75, 0},
    {"latency_load_95", &Model::latency_load_95, 0},
    {"latency_copy_50", &Model::latency_copy_50, 0},
    {"latency_copy_75", &Model::latency_copy_75, 0},
    {"latency_copy_95", &Model::latency_copy_95, 0},
    {"tile_load_50", &Model::tile_load_50, 0},
    {"tile_load_75", &Model::tile_load_75, 0},
    {"tile_load_95", &Model::tile_load_95, 0},
    {"tile_copy_50", &Model::tile_copy_50, 0},
    {"tile_copy_75", &Model::tile_copy_75, 0},
    {"tile_copy_95", &Model::tile_copy_95, 0},
    {"cached", &Model::cached, 0},
    {"shared", &Model::shared, 0},
    {"mbarrier", &Model::mbarrier, 0},
    {"bytes_per_cycle", &Model::bytes_per_cycle, 1},
    {"l2_bytes_per_cycle", &Model::l2_bytes_per_cycle, 1},
    {"l2_latency", &Model::l2_latency, 0},
    {"store_latency", &Model::store_latency, 0},
    {"store_latency_95", &Model::store_latency_95, 0},
    {"wgmma_cells", &Model::wgmma_cells, 1},
    {"wgmma_latency", &Model::wgmma_latency, 0},
    {"mbarrier_arrival", &Model::mbarrier_arrival, 0},
    {"barrier_arrival", &Model::barrier_arrival, 0},
    {"barrier", &Model::barrier, 0},
    {"cluster_barrier", &Model::cluster_barrier, 0},
    {"tensor_cells", &Model::tensor_cells, 1},
    {"tensor_latency", &Model::tensor_latency, 0},
    {"quantum", &Model::quantum, 1},
};
constexpr int64_t most = 1'000'000;

} // namespace

Model read_model(const nlohmann::json& json, const std::string& file) {
    const auto fail = [&](const std::string& what) -> base::Problem {
        std::vector<std::string> names;
        for (const Parameter& parameter : parameters)
            names.emplace_back(parameter.name);
        return {fmt::format("{}: {}", file, what), fmt::format("the parameters are {}", fmt::join(names, ", "))};
    };
    if (!json.is_object())
        throw fail("a model is an object of parameters");
    Model model;
    for (const auto& [name, value] : json.items()) {
        const auto* found =
            std::ranges::find(parameters, name, [](const Parameter& one) { return std::string(one.name); });
        if (found == std::end(parameters))
            throw fail(fmt::format("the model has no parameter '{}'", name));
        const int64_t whole = value.is_number_integer() ? value.get<int64_t>() : -1;
        if (whole < found->least || whole > most)
            throw fail(fmt::format("'{}' must be a whole number from {} to {}", name, found->least, most));
        model.*(found->value) = uint32_t(whole);
    }
    return model;
}

nlohmann::json to_json(const Model& model) {
    nlohmann::json json = nlohmann::json::object();
    for (const Parameter& parameter : parameters)
        json[parameter.name] = model.*(parameter.value);
    return json;
}

} // namespace sim::timeline
