#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/problem.h"
#include "judge/skeleton.h"
#include "runner/command.h"
#include "runner/names.h"

namespace runner::reset_command {

using base::Problem, base::read_file, base::shown, base::write_file;
namespace {

std::string original(const Context& context, const check::ListedLab& lab) {
    const auto skeleton = judge::skeleton(context.paths, lab.name);
    if (skeleton.original || context.paths.shared()) // git reads no repository of somebody else
        return skeleton.text;
    throw Problem{"git does not know the original of " +
                      fs::relative(context.paths.published(lab.name), context.paths.root).string(),
                  "clone the repository again, and copy the file from there"};
}

void add(CLI::App& command, Context& context) {
    auto name = std::make_shared<std::string>();
    command.add_option("LAB", *name, which_lab)->required();
    auto json = std::make_shared<bool>();
    command.add_flag("--json", *json, "As JSON");
    command.callback([&context, name, json] {
        const auto& lab = find_lab(*name);
        const fs::path file =
            context.paths.shared() ? context.paths.own_copy(lab.name) : context.paths.source(lab.name);
        const std::string fresh = original(context, lab);
        const bool there = fs::exists(file);
        fs::path backup;
        if (!there || read_file(file) != fresh) {
            for (int i = 1; there && (backup.empty() || fs::exists(backup)); ++i)
                backup = file.string() + "." + std::to_string(i);
            if (there)
                fs::copy_file(file, backup);
            write_file(file, fresh);
        }
        if (*json) {
            const nlohmann::json kept = backup.empty() ? nlohmann::json() : nlohmann::json(backup.string());
            fmt::print("{}\n", nlohmann::json{{"lab", lab.name}, {"file", file.string()}, {"kept_as", kept}}.dump(2));
            return;
        }
        if (!backup.empty())
            fmt::print("Your file is kept as {}.\n", shown(backup));
        fmt::print("{} is as it was at the start.\n", shown(file));
    });
}

} // namespace

LAB_COMMAND = {
    .name = "reset",
    .help = "Reset a lab; your file is kept as kernel.cu.1, .2, …",
    .add = add,
    .completion = Completion::labs,
};

} // namespace runner::reset_command
