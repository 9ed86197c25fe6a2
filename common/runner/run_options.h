// The options of `./lab run`.
#pragma once

#include <CLI/CLI.hpp>

#include "runner/run_program.h"

namespace runner {

/// Those that only the simulated device has.
inline constexpr const char* of_the_simulated[] = {
    "--schedule", "--protocol", "--replay",   "--schedules", "--seed",  "--sms",  "--strict",
    "--json",     "--format",   "--suppress", "--trace",     "--model", "--step", "--block",
    "--from",     "--launch",   "--box",      "--core",      "--break", "--if",   "--cores"};

/// `arguments` must outlive the command.
void add_run_options(CLI::App& command, RunArguments& arguments);

} // namespace runner
