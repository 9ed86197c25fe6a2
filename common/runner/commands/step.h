// `./lab step`, which `./lab check --step` ends with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runner/command.h"

namespace runner {

struct StepArguments {
    std::string lab, test, file, out, arch, schedule = "lazy";
    bool solutions = false;
    std::optional<uint64_t> block{};
    uint64_t from = 1; ///< the first step that is kept
    uint64_t seed = 1;
};

/// Runs a case of the lab and writes the page that steps through it. Throws Problem.
void run_step(Context& context, const StepArguments& arguments);

} // namespace runner
