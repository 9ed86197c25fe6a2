#include "runner/exercises.h"

namespace runner::hunt_command {
namespace {

void add(CLI::App& command, Context& context) {
    add_exercises(command, context, "hunts");
}

} // namespace

LAB_COMMAND = {
    .name = "hunt",
    .help = "Find the fault in a program as you might meet it at work",
    .add = add,
    .completion = Completion::labs,
};

} // namespace runner::hunt_command
