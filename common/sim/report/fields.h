// How findings and schedules are written. Included where that is done; see base/fields.h.
#pragma once

#include "base/fields.h"
#include "sim/report/finding.h"
#include "sim/report/gap.h"
#include "sim/rules/rule.h"

namespace sim::hazards::written {

// The threads in words, which is all that the reader needs; the numbers stay in the process that has counted them.
struct InWords {
    nlohmann::json write(const ThreadSet& threads) const { return threads.text(); }
    void read(const nlohmann::json& json, ThreadSet& threads) const { threads = ThreadSet(json.get<std::string>()); }
};

struct ByName {
    nlohmann::json write(const Rule* rule) const { return rule ? rule->name : "unnamed"; }
    void read(const nlohmann::json& json, const Rule*& rule) const { rule = find_rule(json.get<std::string>()); }
};

} // namespace sim::hazards::written

template <>
inline constexpr auto base::names<sim::hazards::Severity> = sim::hazards::severity_names;

template <>
inline constexpr auto base::names<sim::machine::Schedule::Completion> = std::to_array<std::string_view>({
    "lazy",
    "eager",
    "random",
});

template <>
inline constexpr auto base::names<sim::machine::Schedule::Warps> = std::to_array<std::string_view>({
    "round-robin",
    "one-ahead",
    "random",
});

template <>
inline constexpr auto base::fields<sim::machine::Schedule> = std::tuple{
    Field{"completion", &sim::machine::Schedule::completion},
    Field{"warps", &sim::machine::Schedule::warps},
    Field{"seed", &sim::machine::Schedule::seed},
};

template <>
inline constexpr auto base::fields<sim::hazards::CallFrame> = std::tuple{
    Field{"file", &sim::hazards::CallFrame::file},
    Field{"line", &sim::hazards::CallFrame::line},
    Field{"column", &sim::hazards::CallFrame::column},
    Field{"function", &sim::hazards::CallFrame::function},
};

template <>
inline constexpr auto base::fields<sim::hazards::Place> = std::tuple{
    Field{"file", &sim::hazards::Place::file},
    Field{"line", &sim::hazards::Place::line},
    Field{"column", &sim::hazards::Place::column},
    Field{"threads", &sim::hazards::Place::threads, sim::hazards::written::InWords{}},
    Field{"action", &sim::hazards::Place::action},
    Field{"kernel", &sim::hazards::Place::kernel},
    Field{"alternatives", &sim::hazards::Place::alternatives},
    Field{"calls", &sim::hazards::Place::calls},
};

template <>
inline constexpr auto base::fields<sim::hazards::Finding> = std::tuple{
    Field{"rule", &sim::hazards::Finding::rule, sim::hazards::written::ByName{}},
    Field{"severity", &sim::hazards::Finding::severity},
    Field{"kernel", &sim::hazards::Finding::kernel},
    Field{"first", &sim::hazards::Finding::first},
    Field{"others", &sim::hazards::Finding::others},
    Field{"message", &sim::hazards::Finding::message},
    Field{"remedy", &sim::hazards::Finding::remedy},
    Field{"count", &sim::hazards::Finding::count},
    Field{"schedule", Inner{&sim::hazards::Finding::schedule, &sim::machine::Schedule::completion}},
    Field{"warps", Inner{&sim::hazards::Finding::schedule, &sim::machine::Schedule::warps}},
    Field{"seed", Inner{&sim::hazards::Finding::schedule, &sim::machine::Schedule::seed}},
};

template <>
inline constexpr auto base::fields<sim::hazards::Gap> = std::tuple{
    Field{"what", &sim::hazards::Gap::what},
    Field{"next", &sim::hazards::Gap::next},
};

template <>
inline constexpr auto base::fields<sim::machine::Executed::Site> = std::tuple{
    Field{"what", &sim::machine::Executed::Site::what},     Field{"how", &sim::machine::Executed::Site::how},
    Field{"file", &sim::machine::Executed::Site::file},     Field{"line", &sim::machine::Executed::Site::line},
    Field{"judged", &sim::machine::Executed::Site::judged},
};

template <>
inline constexpr auto base::fields<sim::machine::Executed::Kernel> = std::tuple{
    Field{"name", &sim::machine::Executed::Kernel::name},
    Field{"file", &sim::machine::Executed::Kernel::file},
    Field{"line", &sim::machine::Executed::Kernel::line},
};

template <>
inline constexpr auto base::fields<sim::machine::Executed> = std::tuple{
    Field{"exactly", &sim::machine::Executed::exactly}, Field{"approximately", &sim::machine::Executed::approximately},
    Field{"not", &sim::machine::Executed::refused},     Field{"not_reached", &sim::machine::Executed::not_reached},
    Field{"kernels", &sim::machine::Executed::kernels}, Field{"never_launched", &sim::machine::Executed::unused},
};
