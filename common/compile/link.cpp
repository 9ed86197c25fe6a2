#include <algorithm>
#include <sstream>

#include "base/files.h"
#include "compile/messages.h"
#include "compile/tools.h"

namespace compile {

using base::read_file;
using process::Process;

namespace {

// The linker's list is a rule of make: "program: \\\n  file \\\n  file".
void read_by_linker(Watched& watched, const fs::path& list, const std::vector<std::string>& flags) {
    std::istringstream lines(read_file(list));
    for (std::string line; std::getline(lines, line) && !line.empty();) {
        const size_t begin = line.find_first_not_of(' ');
        if (begin == line.npos || !line.starts_with(' '))
            continue;
        line = line.substr(begin, line.ends_with(" \\") ? line.size() - 2 - begin : line.npos);
        if (fs::path(line).parent_path() != list.parent_path())
            watched.read(fs::absolute(line));
    }
    fs::remove(list);
    for (const auto& folder : flags)
        for (const auto& name : flags)
            if (folder.starts_with("-L") && name.starts_with("-l"))
                for (const char* ending : {".so", ".a"})
                    watched.missed(fs::absolute(fs::path(folder.substr(2)) / ("lib" + name.substr(2) + ending)));
}

} // namespace

std::vector<std::string> link_flags(const std::vector<std::string>& flags) {
    std::vector<std::string> found;
    std::ranges::copy_if(flags, std::back_inserter(found), [](const auto& flag) {
        const bool is_linked_anyway = flag == "-lcuda" || flag == "-lcudart" || flag == "-lcudart_static";
        return flag.starts_with("-L") || (flag.starts_with("-l") && !is_linked_anyway);
    });
    return found;
}

std::string link(const Tools& tools, const Link& link, Watched* watched) {
    const Toolchain& chain = tools.toolchain();

    std::vector<std::string> command{chain.host_compiler, link.object.string()};
    if (link.stub) // sections that ask the linker's plugin for a compiler would be a student's own
        command.insert(command.end(), {"-fno-use-linker-plugin", tools.paths().stub().string()});
    command.insert(command.end(), link.flags.begin(), link.flags.end());
    for (const std::string& argument :
         {(tools.paths().cudart() / ("libcudart.so." + chain.version.substr(0, chain.version.find('.')))).string(),
          (tools.paths().cudart() / "libcuda.so.1").string(), std::string("-lpthread"), std::string("-ldl"),
          std::string("-lm"), std::string("-o")})
        command.push_back(argument);
    command.push_back(link.program.string());
    const fs::path list = link.program.string() + ".d";
    if (watched && !link.flags.empty())
        command.push_back("-Wl,--dependency-file=" + list.string());
    Process process = tools.start(command, link.object, link.object.parent_path());
    if (!process.finish() || process.status() != 0) {
        const std::string said = without_own_files(process.output().substr(0, 8000));
        if (said.find("`main'") != std::string::npos && said.find("multiple") != std::string::npos)
            return "kernel.cu defines main(): a lab has none, the checker calls its launch function";
        if (said.find("undefined reference to `lab_entry'") != std::string::npos)
            return "kernel.cu has no LAB_ENTRY(function): it belongs at the end of the file";
        return "linking failed:\n" + said.substr(0, 2000);
    }
    if (watched && !link.flags.empty())
        read_by_linker(*watched, list, link.flags);
    return {};
}

} // namespace compile
