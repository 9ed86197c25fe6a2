#include <fmt/format.h>

#include "check/process.h"
#include "runner/command.h"
#include "runner/names.h"

namespace runner {

void add_solution(CLI::App& app, Context& context) {
    auto name = std::make_shared<std::string>();
    auto diff = std::make_shared<bool>();
    auto* command = app.add_subcommand("solution", "Show the reference solution of a lab");
    command->add_option("LAB", *name)->required();
    command->add_flag("--diff", *diff, "How your file differs from it");
    command->callback([&context, name, diff] {
        const auto& lab = find_lab(*name);
        const fs::path solution = context.paths.solution(lab.name);
        if (!*diff) {
            std::fputs(read_file(solution).c_str(), stdout);
            return;
        }
        check::Spawn spawn;
        spawn.arguments = {"diff", "-u", (context.paths.lab(lab.name) / "kernel.cu").string(), solution.string()};
        if (context.colour)
            spawn.arguments.insert(spawn.arguments.begin() + 1, "--color=always");
        spawn.limits.kept_bytes = 16 << 20;
        check::Process process(spawn);
        process.finish();
        if (check::exit_code(process.status()) > 1)
            throw Problem{"diff could not compare the files", process.output()};
        std::fputs(process.output().empty() ? "Your file is the solution.\n" : process.output().c_str(), stdout);
    });
}

} // namespace runner
