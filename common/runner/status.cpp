#include <algorithm>

#include <fmt/format.h>

#include "base/files.h"
#include "check/suite.h"
#include "runner/command.h"
#include "runner/language.h"
#include "runner/names.h"
#include "runner/progress.h"
#include "runner/translation.h"

namespace runner {

using base::shown;

namespace {

// The labs before `next` that are not passed: "02, 03, 04".
std::string left_open(const check::ListedLab& next, const Progress& progress) {
    std::string open;
    for (const auto& lab : check::labs()) {
        if (lab.name == next.name)
            break;
        if (!progress.get(lab.name).passed)
            open += (open.empty() ? "" : ", ") + number_of(lab.name);
    }
    return open;
}

void show_next(const Context& context, const check::ListedLab& lab, const Progress& progress) {
    const LabProgress so_far = progress.get(lab.name);
    const std::string number = number_of(lab.name);
    const auto line = [](std::string_view english, const auto&... arguments) {
        fmt::print("{}\n", said(english, arguments...));
    };
    line("Next: {} {}", number, translated(lab.lab->title));
    if (!so_far.tried)
        line("  read     {}", shown(context.paths.lab(lab.name) / page_of_lab()));
    if (const auto* drill = next_exercise(progress, exercises_of(lab.name, "drills")))
        line("  warm up  ./lab drill {}", number_of(drill->name));
    const fs::path source = context.paths.source(lab.name);
    if (context.paths.shared() && source != context.paths.own_copy(lab.name))
        line("  copy     ./lab reset {}     (to {})", number, shown(context.paths.own_copy(lab.name)));
    else
        line("  edit     {}", shown(source));
    line("  then     ./lab check {}", number);
    if (so_far.tried)
        line("  stuck?   ./lab hint {}", number);
    if (const std::string open = left_open(lab, progress); !open.empty())
        line("  open     {}: ./lab check {} checks one of them", open, open.substr(0, open.find(',')));
}

} // namespace

void show_status(Context& context) {
    const Progress progress(context.paths);
    const auto& labs = check::labs();
    const auto passed = std::ranges::count_if(labs, [&](const auto& lab) { return progress.get(lab.name).passed; });
    fmt::print("{}\n", said("{} of {} labs passed.", passed, labs.size()));
    if (const auto* next = next_lab(progress))
        show_next(context, *next, progress);
    else
        fmt::print("{}\n", said("You have passed every lab. ./lab run FILE.cu runs a program of your own."));
    fmt::print("{}\n", said("All commands: ./lab help"));
}

} // namespace runner
