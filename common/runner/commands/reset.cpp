#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/problem.h"
#include "process/process.h"
#include "runner/command.h"
#include "runner/names.h"

namespace runner::reset_command {

using base::Problem, base::read_file, base::shown, base::write_file;
namespace {

// As it was published: the student's own history may have the file filled in.
std::string original(const Context& context, const check::ListedLab& lab) {
    const std::string path = fs::relative(context.paths.published(lab.name), context.paths.root).string();
    for (const char* version : {"origin/HEAD", "HEAD"}) {
        process::Spawn spawn;
        spawn.arguments = {"git", "-C", context.paths.root.string(), "show", fmt::format("{}:./{}", version, path)};
        spawn.limits.kept_bytes = 4 << 20;
        process::Process git(spawn);
        if (git.finish() && git.status() == 0)
            return git.output();
    }
    if (context.paths.shared()) // git reads no repository of somebody else
        return read_file(context.paths.published(lab.name));
    throw Problem{"git does not know the original of " + path,
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
    .help = "Start a lab anew; your file is kept as kernel.cu.1, .2, …",
    .add = add,
    .completion = Completion::labs,
};

} // namespace runner::reset_command
