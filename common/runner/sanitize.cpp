#include "runner/sanitize.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/problem.h"
#include "process/process.h"
#include "runner/context.h"

namespace runner {

using base::Problem;
using compile::Compiled, compile::Compiler, judge::Task, compile::Toolchain, judge::Workers, judge::machine_code,
    judge::runs;

namespace {

const char* const sanitizer_tools[] = {"racecheck", "memcheck", "initcheck", "synccheck"};

std::vector<std::string> under_tool(const Toolchain& chain, const char* tool) {
    const fs::path found = chain.tool("compute-sanitizer");
    if (found.empty())
        throw Problem{"compute-sanitizer is missing; it is part of the CUDA toolkit",
                      "install it, or put it into PATH, or leave --sanitize out"};
    return {found.string(), "--tool", tool, "--target-processes", "all", "--print-limit", "1000"};
}

ToolReport tool_report(const char* tool, const std::string& output, std::string unseen) {
    if (unseen.empty() && output.find(" SUMMARY: ") == std::string::npos)
        unseen = "it has judged nothing: the program ended before it used the GPU";
    return {tool, tool_findings(output), std::move(unseen)};
}

} // namespace

std::vector<ToolReport> sanitize(const Toolchain& chain, const std::vector<std::string>& command) {
    std::vector<ToolReport> reports;
    StatusLine status("compute-sanitizer");
    for (const char* tool : sanitizer_tools) {
        status.show(tool);
        process::Spawn spawn;
        spawn.arguments = under_tool(chain, tool);
        spawn.arguments.insert(spawn.arguments.end(), command.begin(), command.end());
        spawn.environment = chain.environment();
        spawn.limits.wall = std::chrono::minutes(5);
        spawn.limits.kept_bytes = spawn.limits.output_bytes;
        process::Process process(spawn);
        const bool ended = process.finish();
        reports.push_back(tool_report(tool, process.output(), ended ? "" : "it had not finished after 5 minutes"));
    }
    return reports;
}

std::vector<ToolReport> sanitize(const Compiler& compiler, Workers& workers, const check::ListedLab& lab,
                                 const fs::path& source, const check::gpu::Info& gpu,
                                 std::chrono::milliseconds timeout) {
    const check::Target target = lab.lab->targets.back();
    if (!runs(gpu, target))
        throw Problem{fmt::format("{} (sm_{}) cannot run this lab's {}", gpu.name, gpu.sm, target.arch()), ""};
    StatusLine status("compute-sanitizer");
    const Compiled compiled = compiler.program(
        source, target.arch(), {}, [&](std::string_view what) { status.show(what); }, machine_code(gpu, target.arch()),
        true);
    if (!compiled)
        throw Problem{"the machine code for it does not compile:\n" + compiled.errors, ""};
    std::vector<Task> tasks;
    for (const char* tool : sanitizer_tools) {
        Task& task = tasks.emplace_back();
        task.lab = lab.name;
        task.config.under = under_tool(compiler.toolchain(), tool);
        task.config.program = compiled.program;
        task.config.environment = compiler.toolchain().environment();
        task.config.target = target;
        task.config.timeout = timeout;
    }
    std::vector<ToolReport> reports;
    for (const char* tool : sanitizer_tools)
        reports.push_back({tool, {}, "another tool had not ended"});
    bool ends = true;
    workers.run(
        tasks, [&](size_t) { return ends; },
        [&](size_t t, const check::RunResult& result) {
            std::string unseen;
            ends = ends && result.verdict != check::Verdict::timeout;
            if (result.verdict == check::Verdict::timeout)
                unseen =
                    fmt::format("it had not finished after {:g} s", std::chrono::duration<double>(timeout).count());
            else if (result.verdict < check::Verdict::wrong)
                unseen = result.message;
            reports[t] = tool_report(sanitizer_tools[t], result.output, unseen);
        },
        [&](size_t t, std::string_view) { status.show(sanitizer_tools[t]); });
    return reports;
}

std::string text(const std::vector<ToolReport>& reports) {
    std::string all = "compute-sanitizer, on the GPU:\n";
    for (const auto& [tool, findings, unseen] : reports) {
        std::string_view name = tool;
        const auto line = [&](const std::string& what) {
            all += fmt::format("  {:<10} {}\n", name, what);
            name = {};
        };
        for (const ToolFinding& finding : findings)
            line(fmt::format("{}{}{}{}", finding.place, finding.place.empty() ? "" : ": ", finding.message,
                             finding.count > 1 ? fmt::format(" ({} times)", finding.count) : ""));
        if (!unseen.empty())
            line("not everything was seen: " + unseen.substr(0, unseen.find('\n')));
        else if (findings.empty())
            line("nothing");
    }
    return all;
}

nlohmann::json to_json(const std::vector<ToolReport>& reports) {
    nlohmann::json all = nlohmann::json::array();
    for (const auto& [tool, findings, unseen] : reports) {
        nlohmann::json list = nlohmann::json::array();
        for (const auto& [message, place, count] : findings)
            list.push_back({{"message", message}, {"place", place}, {"count", count}});
        all.push_back({{"tool", tool}, {"findings", list}, {"unseen", unseen}});
    }
    return all;
}

} // namespace runner
