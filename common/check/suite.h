// The cases of a lab, and running one of them once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "check/run_config.h"
#include "check/verdict.h"

namespace check {

struct Case {
    std::string name;
    int points = 0;
    int line = 0; ///< in check.cpp or exercises.cpp
};

/// The cases of labs/NAME/check.cpp in the order in which they stand there; of an exercise, those of its EXERCISE in
/// the lab's exercises.cpp.
std::vector<Case> cases(std::string_view lab);

/// Which of the cases `text` names: the one that is called so, or else those whose names contain it.
std::vector<bool> named(const std::vector<Case>& cases, std::string_view text);

/// Runs case `index` (of cases(lab)) once. Never throws.
RunResult run_case(std::string_view lab, size_t index, const RunConfig& config);

/// Runs all cases in one program, with RunConfig::under. Never throws.
RunResult run_alone(std::string_view lab, const RunConfig& config);

/// Does the lab define what `./lab bench` measures?
bool has_bench(std::string_view lab);
/// Runs it; RunResult::measured holds the results. Never throws.
RunResult run_bench(std::string_view lab, const RunConfig& config);

/// The `count` schedules that a case is run with: lazy first, then eager, then mixed and random ones from `seed`.
std::vector<sim::machine::Schedule> schedules(size_t count, uint64_t seed);

} // namespace check
