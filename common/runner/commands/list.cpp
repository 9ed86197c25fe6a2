#include <fmt/format.h>

#include "runner/command.h"
#include "runner/names.h"
#include "runner/progress.h"

namespace runner {

void add_list(CLI::App& app, Context& context) {
    app.add_subcommand("list", "List the labs and what has been reached")->callback([&context] {
        const Progress progress(context.paths);
        size_t widest = 0;
        for (const auto& lab : check::labs())
            widest = std::max(widest, lab.name.size());
        for (const auto& lab : check::labs()) {
            const LabProgress so_far = progress.get(lab.name);
            std::string concepts;
            for (const auto& concept_name : lab.lab->concepts)
                concepts += (concepts.empty() ? "" : ", ") + std::string(concept_name);
            fmt::print("{} {:<{}}  {:>7}  {}\n",
                       so_far.passed  ? "✓"
                       : so_far.tried ? "…"
                                      : " ",
                       lab.name, widest, so_far.tried ? fmt::format("{}/{}", so_far.points, so_far.possible) : "",
                       concepts);
        }
    });
}

namespace {

void show_next(const Context& context, const check::ListedLab& lab, const LabProgress& so_far) {
    const std::string number = number_of(lab.name);
    fmt::print("Next: {} {}\n", number, lab.lab->title);
    if (!so_far.tried)
        fmt::print("  read   {}\n", shown(context.paths.lab(lab.name) / "README.md"));
    fmt::print("  edit   {}\n", shown(context.paths.lab(lab.name) / "kernel.cu"));
    fmt::print("  then   ./lab check {}\n", number);
    if (so_far.tried)
        fmt::print("  stuck? ./lab hint {}\n", number);
}

} // namespace

void show_status(Context& context) {
    const Progress progress(context.paths);
    const auto& labs = check::labs();
    size_t passed = 0;
    const check::ListedLab* next = nullptr;
    for (const auto& lab : labs) {
        if (progress.get(lab.name).passed)
            ++passed;
        else if (!next)
            next = &lab;
    }
    fmt::print("{} of {} labs passed.\n", passed, labs.size());
    if (next)
        show_next(context, *next, progress.get(next->name));
    else
        fmt::print("That is all of them. ./lab run FILE.cu runs a program of your own.\n");
    fmt::print("All commands: ./lab help\n");
}

} // namespace runner
