// Strangers' files: each is compiled by itself, in a box of its own, and nothing of it is ever used again.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/files.h"
#include "judge/compile.h"
#include "judge/compiler_parts.h"
#include "judge/host_side.h"
#include "judge/run_servers.h"
#include "warm/headers.h"

namespace judge {

using base::read_file;

using check::Target;
using process::Process;

namespace {

// They tell a server's file from the whole one.
bool names_its_reader(std::string_view source) {
    return std::ranges::any_of(std::array<std::string_view, 2>{"__COUNTER__", "__BASE_FILE__"},
                               [&](const auto name) { return source.find(name) != source.npos; });
}

void keep_only(const fs::path& folder, const fs::path& program, bool ptx) {
    std::vector<fs::path> left;
    for (const auto& entry : fs::directory_iterator(folder))
        if (!ptx || (entry.path() != program && entry.path().extension() != ".ptx"))
            left.push_back(entry.path());
    for (const auto& path : left)
        fs::remove(path);
}

} // namespace

void Compiler::start_servers(RunServers& servers, const fs::path& source, const std::vector<Target>& targets) const {
    std::vector<std::string> archs;
    for (const Target& target : targets)
        archs.push_back(target.arch());
    servers.start(warm::split(read_file(source)).headers, nvcc(true), archs, chain_.folders());
}

std::optional<HostProgram> Compiler::host_program(const fs::path& source, const Target& oldest,
                                                  const fs::path& program) const {
    const Compiled compiled = lab(source, {oldest});
    if (!compiled)
        return {};
    fs::copy_file(compiled.program, program);
    const std::string text = read_file(source);
    return HostProgram{
        program, {source, text}, host_text(text), ptx_interface(read_file(compiled.ptx.at(oldest.arch())))};
}

// None: nvcc has to do it, and to say what is wrong with the file, if anything is.
std::optional<Compiled> Compiler::with_run_servers(const fs::path& source, const std::vector<Target>& targets,
                                                   const fs::path& folder, const Ticker& ticker) const {
    const std::string text = read_file(source), host = host_text(text);
    if (names_its_reader(text))
        return {};
    const auto program = std::ranges::find(run_->programs, host, &HostProgram::host_text);
    const bool needs_host = program == run_->programs.end();
    std::vector<std::string> archs;
    for (const Target& target : targets)
        archs.push_back(target.arch());
    if (needs_host)
        archs.push_back(host_of(archs.front()));
    const auto seconds = static_cast<uint32_t>(time_.count()) + 1;
    Connections connections;
    for (const GivenServer& server : family(*run_, text, archs))
        if (!connections.add(server, {seconds, uint64_t{2} << 30, uint64_t{64} << 20}, group_))
            return {};
    if (connections.folders().empty())
        return {};
    std::vector<std::string> command{paths_.build / "common/warm/warm",
                                     "compile",
                                     source,
                                     folder,
                                     std::to_string(seconds),
                                     needs_host ? warm::named(connections.server(targets.size())) : ""};
    Compiled result;
    for (size_t i = 0; i < targets.size(); ++i) {
        const std::string name = "kernel." + archs[i] + ".ptx";
        command.insert(command.end(), {warm::named(connections.server(i)), name});
        result.ptx[archs[i]] = folder / name;
    }
    Process process = start(command, source, folder, connections);
    connections.close_all(); // when the client dies, the servers see it
    result.errors = after(process, source, ticker, "for all targets");
    take_back(folder);
    for (const Target& target : targets)
        if (result.errors.empty())
            result.errors = ptxas(result.ptx.at(target.arch()), target, source);
    if (result.errors.empty() && needs_host)
        result.errors = link(folder / "kernel.o", true, folder / "program", {});
    take_back(folder);
    if (!result.errors.empty() ||
        (!needs_host && ptx_interface(read_file(result.ptx.at(archs.front()))) != program->interface))
        return {};
    result.program = needs_host ? folder / "program" : program->program;
    if (!needs_host)
        result.origin = program->origin;
    return result;
}

// One nvcc for all targets takes a fourth less processor time than one for each, though it is done later.
Compiled Compiler::with_one_nvcc(const fs::path& source, const std::vector<Target>& targets, const fs::path& folder,
                                 const Ticker& ticker) const {
    Compiled result;
    const fs::path object = folder / "kernel.o";
    result.program = folder / "program";
    auto command = nvcc(true);
    for (const std::string& argument :
         {std::string("-c"), std::string("--keep"), std::string("--keep-dir"), folder.string()})
        command.push_back(argument);
    for (const Target& target : targets)
        command.insert(command.end(), {"-gencode", fmt::format("arch={0},code={0}", target.arch())});
    command.insert(command.end(), {source.string(), "-o", object.string()});
    Process process = start(command, source, folder);
    result.errors = after(process, source, ticker, "for all targets");
    take_back(folder);
    for (const Target& target : targets) {
        const fs::path ptx = targets.size() == 1 ? ptx_of(folder) : folder / ("kernel." + target.arch() + ".ptx");
        if (result.errors.empty())
            result.errors = ptxas(ptx, target, source);
        result.ptx[target.arch()] = ptx;
    }
    if (result.errors.empty())
        result.errors = link(object, true, result.program, {});
    take_back(folder);
    return result;
}

Compiled Compiler::at_once(const fs::path& source, const std::vector<Target>& targets, const Ticker& ticker) const {
    const auto began = std::chrono::steady_clock::now();
    fs::path folder = cache_.workspace();
    auto result = run_ ? with_run_servers(source, targets, folder, ticker) : std::nullopt;
    if (!result && run_) {
        fs::remove_all(folder);
        folder = cache_.workspace();
    }
    if (!result)
        result = with_one_nvcc(source, targets, folder, ticker);
    keep_only(folder, result->program, result->errors.empty());
    result->seconds = since(began);
    return *result;
}

} // namespace judge
