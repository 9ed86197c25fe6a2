#include "runner/estimate.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "runner/translation.h"

namespace runner {

using sim::timeline::Estimate;

namespace {

double gain(const Estimate& estimate) {
    return static_cast<double>(estimate.awaited) / static_cast<double>(std::max<uint64_t>(estimate.cycles, 1));
}

} // namespace

std::optional<Estimate> estimate_of(const judge::LabReport& report) {
    const bool right = std::ranges::all_of(
        report.cases, [](const auto& item) { return item.passed() || !item.runs || item.result.partly; });
    return right && report.compile_errors.empty() ? report.estimate : std::nullopt;
}

std::string text(const Estimate& estimate, const std::string& more, size_t width) {
    const std::string speed = said("model: with one block on each SM of an H100, this kernel would reach about {:.1f} "
                                   "of the speed of the GPU's own copy, {:.1f} times as much as with synchronous "
                                   "copies.",
                                   estimate.bound.pipe, gain(estimate));
    return base::wrapped(speed + " " + translated(estimate.bound.why()) + " " + said("More: {}", more), "", width);
}

nlohmann::json to_json(const Estimate& estimate, std::string_view of_case) {
    return {{"gpu", "H100"},
            {"case", of_case},
            {"cycles", estimate.cycles},
            {"cycles_if_synchronous", estimate.awaited},
            {"of_copy", estimate.bound.pipe},
            {"bound", {{"by", estimate.bound.name()}, {"why", estimate.bound.why()}}}};
}

} // namespace runner
