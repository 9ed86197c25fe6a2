#include <fmt/format.h>

#include "check/process.h"
#include "runner/command.h"
#include "runner/names.h"

namespace runner {
namespace {

// As it was published: the student's own history may have the file filled in.
std::string original(const Context& context, const check::ListedLab& lab) {
    const std::string path = fmt::format("labs/{}/kernel.cu", lab.name);
    for (const char* version : {"origin/HEAD", "HEAD"}) {
        check::Spawn spawn;
        spawn.arguments = {"git", "-C", context.paths.root.string(), "show", fmt::format("{}:./{}", version, path)};
        spawn.limits.kept_bytes = 4 << 20;
        check::Process git(spawn);
        if (git.finish() && git.status() == 0)
            return git.output();
    }
    throw Problem{"git does not know the original of " + path,
                  "clone the repository again, and copy the file from there"};
}

} // namespace

void add_reset(CLI::App& app, Context& context) {
    auto name = std::make_shared<std::string>();
    auto* command = app.add_subcommand("reset", "Start a lab anew; your file is kept as kernel.cu.1, .2, …");
    command->add_option("LAB", *name)->required();
    command->callback([&context, name] {
        const auto& lab = find_lab(*name);
        const fs::path file = context.paths.lab(lab.name) / "kernel.cu";
        const std::string fresh = original(context, lab);
        if (fs::exists(file)) {
            if (read_file(file) == fresh) {
                fmt::print("{} is as it was at the start.\n", shown(file));
                return;
            }
            fs::path backup;
            for (int i = 1; backup.empty() || fs::exists(backup); ++i)
                backup = file.string() + "." + std::to_string(i);
            fs::copy_file(file, backup);
            fmt::print("Your file is kept as {}.\n", shown(backup));
        }
        write_file(file, fresh);
        fmt::print("{} is as it was at the start.\n", shown(file));
    });
}

} // namespace runner
