#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/files.h"
#include "base/problem.h"
#include "process/process.h"
#include "runner/command.h"
#include "runner/names.h"
#include "runner/progress.h"

namespace runner::solution_command {

using base::Problem, base::read_file;

namespace {

// Skip the question in scripts and after a pass.
void ask_before_the_lab_is_passed(const LabProgress& so_far, const std::string& number) {
    if (so_far.passed || !isatty(0) || !isatty(1))
        return;
    fmt::print("Lab {} does not pass yet; the next hint is ./lab hint {}. Show the whole solution? [y/N] ", number,
               number);
    std::fflush(stdout);
    std::string answer;
    std::getline(std::cin, answer);
    if (answer.empty() || (answer[0] != 'y' && answer[0] != 'Y'))
        throw Problem{"the solution is not shown", "./lab hint " + number, 1};
}

void add(CLI::App& command, Context& context) {
    auto name = std::make_shared<std::string>();
    auto diff = std::make_shared<bool>(), json = std::make_shared<bool>();
    command.add_option("LAB", *name, which_lab)->required();
    command.add_flag("--diff", *diff, "How your file differs from it");
    command.add_flag("--json", *json, "As JSON");
    command.callback([&context, name, diff, json] {
        const auto& lab = find_lab(*name);
        const fs::path solution = context.paths.solution(lab.name);
        nlohmann::json answer{{"lab", lab.name}, {"file", solution.string()}};
        if (!*diff && *json) {
            answer["text"] = read_file(solution);
            fmt::print("{}\n", answer.dump(2));
            return;
        }
        if (!*diff) {
            ask_before_the_lab_is_passed(Progress(context.paths).get(lab.name), number_of(lab.name));
            std::fputs(read_file(solution).c_str(), stdout);
            return;
        }
        process::Spawn spawn;
        spawn.arguments = {"diff", "-u", (context.paths.source(lab.name)).string(), solution.string()};
        if (context.colour && !*json)
            spawn.arguments.insert(spawn.arguments.begin() + 1, "--color=always");
        spawn.limits.kept_bytes = 16 << 20;
        process::Process process(spawn);
        process.finish();
        if (process::exit_code(process.status()) > 1)
            throw Problem{"diff could not compare the files", process.output()};
        if (*json) {
            answer["diff"] = process.output();
            fmt::print("{}\n", answer.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
            return;
        }
        std::fputs(process.output().empty() ? "Your file is the solution.\n" : process.output().c_str(), stdout);
    });
}

} // namespace

LAB_COMMAND = {
    .name = "solution",
    .help = "Show the reference solution of a lab",
    .add = add,
    .completion = Completion::labs,
};

} // namespace runner::solution_command
