#include "compile/servers/plan.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>

#include "base/files.h"
#include "process/process.h"

namespace servers {

Words words(const std::string& line) {
    Words found;
    std::string word;
    bool any = false, quoted = false;
    for (size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"') {
            quoted = !quoted;
            any = true;
        } else if (c == '\\' && i + 1 < line.size()) {
            word += line[++i];
            any = true;
        } else if (!quoted && (c == ' ' || c == '\t')) {
            if (any)
                found.push_back(word);
            word.clear();
            any = false;
        } else {
            word += c;
            any = true;
        }
    }
    if (any)
        found.push_back(word);
    return found;
}

bool replace(Words& command, const std::string& option, const std::string& value) {
    const auto at = std::ranges::find(command, option);
    if (at == command.end() || at + 1 == command.end())
        return false;
    at[1] = value;
    return true;
}

void drop(Words& command, const std::string& option, size_t count) {
    if (const auto at = std::ranges::find(command, option); at != command.end())
        command.erase(at, at + static_cast<std::ptrdiff_t>(std::min<size_t>(count, command.end() - at)));
}

std::vector<Words> steps(const Words& nvcc, const fs::path& source) {
    Words command = nvcc;
    command.insert(command.end(), {"--dryrun", "-c", source.string(), "-o", "out.o"});
    process::Process process({.arguments = command});
    if (!process.finish() || process.status() != 0)
        throw std::runtime_error("nvcc --dryrun failed: " + process.output());
    std::map<std::string, std::string> variables;
    std::vector<Words> found;
    std::istringstream lines(process.output());
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("#$ "))
            continue;
        line.erase(0, 3);
        for (const auto& [name, value] : variables)
            for (size_t at; (at = line.find("$" + name)) != line.npos;)
                line.replace(at, name.size() + 1, value);
        const size_t equals = line.find('=');
        if (equals != line.npos && line.find_first_of(" \"") > equals)
            variables[line.substr(0, equals)] = line.substr(equals + 1);
        else if (Words step = words(line); !step.empty())
            found.push_back(std::move(step));
    }
    return found;
}

Plan plan(const Words& nvcc, const fs::path& source) {
    Plan plan;
    for (const Words& step : steps(nvcc, source)) {
        const auto has = [&](const char* word) { return std::ranges::find(step, word) != step.end(); };
        const bool device =
            std::ranges::any_of(step, [](const auto& word) { return word.starts_with("-D__CUDA_ARCH__="); });
        const std::string program = fs::path(step[0]).filename().string();
        Words* const slot = program == "cicc"        ? &plan.cicc
                            : program == "cudafe++"  ? &plan.cudafe
                            : program == "fatbinary" ? &plan.fatbinary
                            : has("-E")              ? (device ? &plan.device_preprocessor : &plan.host_preprocessor)
                            : has("-c")              ? &plan.host_compiler
                                                     : nullptr;
        if (slot && !slot->empty())
            throw std::runtime_error("nvcc would run " + program + " twice");
        if (slot)
            *slot = step;
    }
    for (const Words* step : {&plan.device_preprocessor, &plan.host_preprocessor, &plan.cicc, &plan.cudafe,
                              &plan.fatbinary, &plan.host_compiler})
        if (step->empty())
            throw std::runtime_error("nvcc --dryrun lacks a step");
    return plan;
}

int run(const Words& command, const fs::path& folder, const fs::path& output) {
    process::Process process({.arguments = command, .directory = folder, .limits = {.wall = {}}});
    process.finish();
    if (!output.empty())
        base::write_file(output, process.output());
    else if (!process.output().empty())
        fwrite(process.output().data(), 1, process.output().size(), stderr);
    return process::exit_code(process.status());
}

} // namespace servers
