// `./lab drill` and `./lab hunt`: the small exercises that lead to a lab's problem.
#pragma once

#include <string>

#include "check/lab.h"
#include "runner/command.h"

namespace runner {

/// What an exercise asks for, and its title. The English task is the comment at the head of its program.
struct Task {
    std::string title, text;
};
Task task_of(const base::Paths& paths, const check::ListedLab& exercise, std::string_view language);

/// The options of a command about the exercises of one kind: "drills" or "hunts".
void add_exercises(CLI::App& command, Context& context, const std::string& kind);

} // namespace runner
