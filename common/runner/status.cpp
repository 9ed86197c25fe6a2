#include <algorithm>

#include <fmt/format.h>

#include "base/files.h"
#include "check/suite.h"
#include "runner/command.h"
#include "runner/names.h"
#include "runner/progress.h"

namespace runner {

using base::shown;

namespace {

void show_next(const Context& context, const check::ListedLab& lab, const Progress& progress) {
    const LabProgress so_far = progress.get(lab.name);
    const std::string number = number_of(lab.name);
    fmt::print("Next: {} {}\n", number, lab.lab->title);
    if (!so_far.tried)
        fmt::print("  read     {}\n", shown(context.paths.lab(lab.name) / "README.md"));
    if (const auto* drill = next_exercise(progress, exercises_of(lab.name, "drills")))
        fmt::print("  warm up  ./lab drill {}\n", number_of(drill->name));
    const fs::path source = context.paths.source(lab.name);
    if (context.paths.shared() && source != context.paths.own_copy(lab.name))
        fmt::print("  copy     ./lab reset {}     (to {})\n", number, shown(context.paths.own_copy(lab.name)));
    else
        fmt::print("  edit     {}\n", shown(source));
    fmt::print("  then     ./lab check {}\n", number);
    if (so_far.tried)
        fmt::print("  stuck?   ./lab hint {}\n", number);
}

} // namespace

void show_status(Context& context) {
    const Progress progress(context.paths);
    const auto& labs = check::labs();
    const auto passed = std::ranges::count_if(labs, [&](const auto& lab) { return progress.get(lab.name).passed; });
    fmt::print("{} of {} labs passed.\n", passed, labs.size());
    if (const auto* next = next_lab(progress))
        show_next(context, *next, progress);
    else
        fmt::print("You have passed every lab. ./lab run FILE.cu runs a program of your own.\n");
    fmt::print("All commands: ./lab help\n");
}

} // namespace runner
