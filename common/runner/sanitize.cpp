#include "runner/sanitize.h"

#include <algorithm>
#include <regex>
#include <sstream>

#include <fmt/format.h>

#include "check/process.h"
#include "runner/command.h"

namespace runner {

std::vector<ToolFinding> tool_findings(std::string_view output) {
    static const std::regex place(" in (\\S+):(\\d+)"),
        summary("^(COMPUTE-SANITIZER|Error: Target application terminated before first|(ERROR|RACECHECK|LEAK) SUMMARY|Target application|Process )");
    constexpr std::string_view mark = "========= ";
    std::vector<ToolFinding> all;
    ToolFinding next;
    const auto finish = [&] {
        if (next.message.empty())
            return;
        const auto known = std::find_if(all.begin(), all.end(), [&](const ToolFinding& one) {
            return one.message == next.message && one.place == next.place;
        });
        if (known == all.end())
            all.push_back({next.message, next.place, 1});
        else
            ++known->count;
        next = {};
    };
    std::istringstream in{std::string(output)};
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with(mark))
            continue;
        const std::string text = line.substr(mark.size());
        if (!text.empty() && text[0] != ' ') {
            finish();
            if (!std::regex_search(text, summary))
                next.message = text.substr(0, text.find('+')); // offsets differ where lines are the same
        }
        std::smatch match;
        if (next.place.empty() && std::regex_search(text, match, place))
            next.place = fs::path(match[1].str()).filename().string() + ":" + match[2].str();
    }
    finish();
    return all;
}

fs::path find_sanitizer(const Toolchain& chain) {
    const fs::path found = chain.tool("compute-sanitizer");
    if (found.empty())
        throw Problem{"compute-sanitizer is missing; it is part of the CUDA toolkit",
                      "install it, or put it into PATH, or leave --sanitize out"};
    return found;
}

void sanitize(std::FILE* out, const fs::path& sanitizer, const std::vector<std::string>& command,
              const std::map<std::string, std::string>& environment) {
    fmt::print(out, "\ncompute-sanitizer, on the GPU:\n");
    for (const char* tool : {"memcheck", "racecheck", "synccheck", "initcheck"}) {
        check::Spawn spawn;
        spawn.arguments = {sanitizer.string(), "--tool", tool, "--target-processes", "all", "--print-limit", "1000"};
        spawn.arguments.insert(spawn.arguments.end(), command.begin(), command.end());
        spawn.environment = environment;
        spawn.limits.wall = std::chrono::minutes(5);
        spawn.limits.kept_bytes = spawn.limits.output_bytes;
        bool ended = false, judged = false;
        std::vector<ToolFinding> findings;
        {
            StatusLine status("compute-sanitizer");
            status.show(tool);
            check::Process process(spawn);
            ended = process.finish();
            findings = tool_findings(process.output());
            judged = process.output().find(" SUMMARY: ") != std::string::npos;
        }
        if (findings.empty())
            fmt::print(out, "  {:<10} {}\n", tool,
                       !ended   ? "had not ended after 5 minutes"
                       : judged ? "nothing"
                                : "has judged nothing: the program ended before it used the GPU");
        for (const ToolFinding& finding : findings)
            fmt::print(out, "  {:<10} {}{}{}{}\n", &finding == &findings.front() ? tool : "", finding.place,
                       finding.place.empty() ? "" : ": ", finding.message,
                       finding.count > 1 ? fmt::format(" ({} times)", finding.count) : "");
    }
}

} // namespace runner
