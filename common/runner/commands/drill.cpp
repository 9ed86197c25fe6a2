#include "runner/exercises.h"

namespace runner::drill_command {
namespace {

void add(CLI::App& command, Context& context) {
    add_exercises(command, context, "drills");
}

} // namespace

LAB_COMMAND = {
    .name = "drill",
    .help = "Small exercises that lead to a lab's problem, one idea each",
    .add = add,
    .completion = Completion::labs,
};

} // namespace runner::drill_command
