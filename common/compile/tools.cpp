#include "compile/tools.h"

#include <algorithm>
#include <cstdlib>

#include <unistd.h>

#include "base/problem.h"

namespace compile {

using base::Problem;
using process::Process;

Tools::Tools(const base::Paths& paths, isolation::Box box)
    : paths_(paths), box_(std::move(box)), chain_(find_toolchain(paths)) {}

process::Limits Tools::limits() const {
    process::Limits limits;
    limits.wall = 5 * time_;
    limits.processor_seconds = static_cast<uint32_t>(time_.count());
    limits.data_bytes = uint64_t{6} << 30;
    limits.file_bytes = uint64_t{512} << 20;
    limits.output_bytes = 8 << 20;
    return limits;
}

Process Tools::start(std::vector<std::string> command, const fs::path& source, const fs::path& folder,
                     const servers::Connections& servers) const {
    process::Spawn spawn{.arguments = std::move(command),
                         .environment = environment(folder),
                         .descriptors = servers.descriptors(),
                         .limits = limits()};
    if (box_.own_environment) { // strangers' files, several at a time; nvcc needs 300 MiB
        spawn.limits.data_bytes = uint64_t{2} << 30;
        spawn.directory = folder; // compilers look into it, and another user may not be allowed to where we are
    }
    spawn.box = box_;
    spawn.box->compiler = true;
    spawn.box->readable.push_back(source.parent_path());
    for (const auto& path : chain_.folders())
        spawn.box->readable.push_back(path);
    for (const auto& path : servers.folders())
        spawn.box->readable.push_back(path);
    spawn.box->writable.push_back(folder);
    if (box_.user && chown(folder.c_str(), box_.user, box_.user) != 0)
        throw Problem{"cannot give " + folder.string() + " to another user", "choose a weaker --isolation"};
    return Process(spawn);
}

std::map<std::string, std::string> Tools::environment(const fs::path& folder) {
    std::map<std::string, std::string> variables{{"TMPDIR", folder.string()}};
    if (!std::getenv("GLIBC_TUNABLES")) // a tenth of a compiler's time is spent on its hundred thousand pages
        variables["GLIBC_TUNABLES"] = "glibc.malloc.hugetlb=1";
    return variables;
}

void Tools::take_back(const fs::path& folder) const {
    std::vector<fs::path> made;
    for (const auto& entry : fs::directory_iterator(folder))
        made.push_back(entry.path());
    for (const auto& path : made)
        if (!fs::is_regular_file(fs::symlink_status(path)))
            fs::remove_all(path);
        else if (box_.user && lchown(path.c_str(), 0, 0) != 0)
            throw Problem{"cannot take back " + path.string(), "choose a weaker --isolation"};
    if (box_.user && chown(folder.c_str(), 0, 0) != 0)
        throw Problem{"cannot take back " + folder.string(), "choose a weaker --isolation"};
}

// `flags`: the user's. nvcc warns of a second -std, and theirs counts.
std::vector<std::string> Tools::nvcc(bool lab, const std::vector<std::string>& flags) const {
    std::vector<std::string> command{chain_.nvcc};
    command.insert(command.end(), chain_.flags.begin(), chain_.flags.end());
    // nvcc hands -O on to the host's compiler alone; the host side of a lab does little. -g1 names the host's lines.
    // (In DWARF 5, addr2line of binutils 2.40 takes the first function's lines for the compiled file's.)
    // A call that is optimised into a jump gets its caller's line; only labs give up that optimisation.
    if (lab)
        command.insert(command.end(), {"-O0", "-Xcompiler", "-g1,-gdwarf-4,-fno-optimize-sibling-calls"});
    else
        command.insert(command.end(), {"-O3", "-Xcompiler", "-g1,-gdwarf-4"});
    command.insert(command.end(), {"-lineinfo", "-I" + paths_.student_include().string()});
    if (std::ranges::none_of(flags,
                             [](const auto& flag) { return flag.starts_with("-std") || flag.starts_with("--std"); }))
        command.push_back("-std=c++20");
    command.insert(command.end(), flags.begin(), flags.end());
    return command;
}

Watched Tools::watch(const fs::path& source) const {
    auto folders = chain_.folders();
    folders.push_back(paths_.student_include());
    if (const fs::path compiler = chain_.host_compiler; compiler.is_absolute() && compiler.parent_path() != "/usr/bin")
        folders.push_back(compiler.parent_path().parent_path()); // its own headers are there
    return {source, folders};
}

} // namespace compile
