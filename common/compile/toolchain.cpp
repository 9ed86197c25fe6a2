#include "compile/toolchain.h"

#include <cstdlib>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/paths.h"
#include "base/problem.h"
#include "process/process.h"

namespace compile {

using base::Paths, base::Problem, base::read_file, base::shown;
namespace {

fs::path in_path(const std::string& name) {
    std::istringstream folders(std::getenv("PATH") ? std::getenv("PATH") : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (std::error_code problem; fs::exists(fs::path(folder) / name, problem))
            return fs::path(folder) / name;
    return {};
}

// bin/nvcc -> the toolkit; a toolkit that is part of the system is visible anyway.
void add_toolkit(std::vector<fs::path>& folders, const fs::path& program) {
    const fs::path folder = program.parent_path().parent_path();
    if (folder != "/usr" && folder != "/")
        folders.push_back(folder);
}

} // namespace

std::vector<fs::path> Toolchain::folders() const {
    std::vector<fs::path> folders(include_dirs.begin(), include_dirs.end());
    std::error_code problem;
    add_toolkit(folders, nvcc);
    add_toolkit(folders, fs::weakly_canonical(nvcc, problem));
    for (const auto& flag : flags)
        if (flag.starts_with("/"))
            folders.push_back(flag);
    if (host_compiler.starts_with("/"))
        folders.push_back(host_compiler);
    return folders;
}

fs::path Toolchain::tool(const std::string& name) const {
    std::error_code problem;
    for (const fs::path& compiler : {fs::path(nvcc), fs::weakly_canonical(nvcc, problem)})
        for (const char* folder : {"", "../compute-sanitizer"})
            if (const fs::path found = compiler.parent_path() / folder / name; fs::exists(found, problem))
                return found.lexically_normal();
    return in_path(name);
}

fs::path Toolchain::runtime() const {
    std::error_code problem;
    for (const fs::path& compiler : {fs::path(nvcc), fs::weakly_canonical(nvcc, problem)})
        for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib"})
            if (const fs::path found = compiler.parent_path().parent_path() / folder;
                fs::exists(found / ("libcudart.so." + major()), problem))
                return found;
    return {};
}

std::map<std::string, std::string> Toolchain::environment() const {
    const fs::path folder = runtime();
    if (folder.empty())
        throw Problem{fmt::format("NVIDIA's CUDA runtime (libcudart.so.{}) is not beside {}", major(), nvcc),
                      "use the nvcc of a whole CUDA toolkit: LAB_NVCC=/usr/local/cuda/bin/nvcc"};
    const char* before = std::getenv("LD_LIBRARY_PATH");
    return {{"LD_LIBRARY_PATH", folder.string() + (before && *before ? std::string(":") + before : "")}};
}

Toolchain find_toolchain(const Paths& paths) {
    Toolchain chain;
    if (const fs::path file = paths.toolchain(); fs::exists(file)) {
        try {
            const auto json = nlohmann::json::parse(read_file(file));
            chain.nvcc = json.at("nvcc");
            chain.version = json.at("version");
            chain.flags = json.value("flags", std::vector<std::string>{});
            chain.include_dirs = json.value("include_dirs", std::vector<std::string>{});
            chain.host_compiler = json.value("host_compiler", "g++");
            return chain;
        } catch (const nlohmann::json::exception&) {
            throw Problem{shown(file) + " is damaged", "remove it and run ./lab again"};
        }
    }
    fs::path nvcc = in_path("nvcc");
    if (nvcc.empty() && fs::exists("/usr/local/cuda/bin/nvcc"))
        nvcc = "/usr/local/cuda/bin/nvcc";
    if (nvcc.empty())
        throw Problem{"there is no nvcc", "start me with ./lab, which finds or fetches one"};
    process::Process version({.arguments = {nvcc.string(), "--version"}});
    version.finish();
    std::smatch match;
    if (std::regex_search(version.output(), match, std::regex("release ([0-9.]+)")))
        chain.version = match[1];
    chain.nvcc = nvcc;
    chain.host_compiler = "g++";
    return chain;
}

} // namespace compile
