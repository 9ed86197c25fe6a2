// `./lab check`, for the commands that end in a check.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runner/command.h"

namespace runner {

struct CheckArguments {
    std::vector<std::string> labs;
    bool all = false, solutions = false;
    uint64_t seed = 1, repeat_seed = 0;
    size_t schedules = 4, seeds = 0;
    std::string schedule, json, file, skip, device, only_cases, format, student, answer;
    bool strict = false, list_skips = false, sanitize = false, until_failure = false, step = false, why = false;
    double timeout = 10;
};

/// Checks them, shows the reports, remembers the points and sets the context's exit code. Throws Problem.
void run_check(Context& context, const CheckArguments& arguments);

} // namespace runner
