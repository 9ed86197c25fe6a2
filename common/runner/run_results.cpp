#include "runner/run_results.h"

#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/files.h"
#include "base/problem.h"
#include "sim/protocol/fields.h"
#include "sim/report/json.h"

namespace runner {

using base::Problem, base::write_file;
using nlohmann::json;

namespace run_results {
namespace {

// Whatever the locale is, and in one piece.
void write_stdout(std::string_view text) {
    std::fflush(stdout);
    for (ssize_t done; !text.empty() && (done = write(1, text.data(), text.size())) > 0;)
        text.remove_prefix(size_t(done));
}

json json_of(const Program& program) {
    json suppressed = json::array();
    for (const auto& [finding, by] : program.outcome.suppressed) {
        json one = sim::hazards::to_json(finding);
        one["suppressed_by"] = {{"line", by->line}, {"reason", by->reason}, {"expires", by->expires}};
        suppressed.push_back(one);
    }
    json result{{"schema", 1}, // common/python/asynclab/verdict.schema.json
                {"file", program.file},
                {"verdict", program.verdict},
                {"findings", sim::hazards::to_json(program.outcome.findings)},
                {"suppressed", suppressed},
                {"incomplete", sim::hazards::to_json(program.outcome.gaps)},
                {"executed", sim::hazards::to_json(program.outcome.executed)},
                {"protocol", base::to_json(program.outcome.protocol)},
                {"thread_instructions", program.outcome.thread_instructions},
                {"schedules", {{"run", program.outcome.run}, {"of", program.outcome.of}}},
                {"exit_code", program.problem.empty() ? program.outcome.code : program.exit_code}};
    if (!program.problem.empty())
        result["problem"] = program.problem;
    for (const launch::Compared& one : program.outcome.compared) {
        result["compared"].push_back({{"buffer", one.buffer}, {"wrong", one.wrong}, {"of", one.of}});
        if (one.wrong)
            result["compared"].back().update({{"index", one.index}, {"expected", one.expected}, {"found", one.found}});
    }
    return result;
}

} // namespace
} // namespace run_results

// If a document goes to stdout for other programs to read, the program's own output must not mix with it.
std::vector<formats::Wanted> outputs(const RunArguments& arguments, bool& stdout_is_ours) {
    std::vector<formats::Wanted> all;
    std::vector<std::string> files{arguments.json, arguments.trace, arguments.step};
    std::string on_stdout = arguments.json == "-" ? "--json" : "";
    stdout_is_ours = !on_stdout.empty();
    for (const auto& argument : arguments.formats) {
        const formats::Wanted& one = all.emplace_back(formats::wanted(argument));
        files.push_back(one.file);
        if (!one.file.empty() || one.format->live)
            continue;
        const std::string option = fmt::format("--format {}", one.format->name);
        if (!on_stdout.empty())
            throw Problem{fmt::format("{} and {} would both write to stdout", on_stdout, option),
                          fmt::format("{}:FILE writes to a file", option)};
        on_stdout = option;
        stdout_is_ours = one.format->for_programs;
    }
    for (const auto& file : files)
        if (file.ends_with(".cu"))
            throw Problem{fmt::format("would write to {}, which looks like a program", file),
                          "name the file for the results first, then the programs"};
    return all;
}

void write_results(const Invocation& invocation, const RunArguments& arguments,
                   const std::vector<formats::Wanted>& formats) {
    for (const auto& [format, file] : formats)
        if (!file.empty())
            write_file(file, format->write(invocation));
        else if (!format->live) // those are on stderr anyway
            run_results::write_stdout(format->write(invocation));
    if (arguments.json.empty())
        return;
    json remarks = json::array();
    for (const auto& remark : invocation.remarks())
        remarks.push_back({{"line", remark.line},
                           {"severity", sim::hazards::name(invocation.severity(remark))},
                           {"message", remark.text}});
    json all = json::array();
    for (const Program& program : invocation.programs) {
        all.push_back(run_results::json_of(program));
        all.back()["suppressions"] = remarks;
    }
    const std::string text =
        (arguments.files.size() == 1 ? all[0] : all).dump(2, ' ', false, json::error_handler_t::replace) + "\n";
    if (arguments.json == "-")
        run_results::write_stdout(text);
    else
        write_file(arguments.json, text);
}

} // namespace runner
