#include "runner/own_output.h"

#include <algorithm>

namespace runner {

namespace {

// Is it a line of a table that a finding or the message holds, too?
bool repeated_below(const std::string& line, const check::RunResult& result) {
    const std::string below = "\n" + line.substr(0, line.find('\n'));
    return result.message.find(below) != std::string::npos ||
           std::ranges::any_of(result.findings,
                               [&](const auto& finding) { return finding.message.find(below) != std::string::npos; });
}

} // namespace

std::string own_output(const check::RunResult& result) {
    std::string out;
    bool in_table = false;
    for (size_t at = 0; at < result.output.size();) {
        const size_t end = std::min(result.output.find('\n', at) + 1, result.output.size());
        const std::string line = result.output.substr(at, (end ? end : result.output.size()) - at);
        at += line.size();
        const size_t begin = line.find(' ') + 1;
        const std::string said = '\n' + line.substr(begin, line.find('\n') - begin); // as a line of a longer text
        const auto repeats = [&](const std::string& text) {
            std::string first = text.substr(0, text.find('\n'));
            if (first.ends_with(':')) // a table follows
                first.pop_back();
            return (!text.empty() && line.find(first) != std::string::npos) || text.find(said) != std::string::npos;
        };
        const bool repeated = line.starts_with("asynclab: ")
                                  ? repeats(result.message) || std::ranges::any_of(result.findings,
                                                                                   [&](const auto& finding) {
                                                                                       return repeats(finding.message);
                                                                                   })
                                  : in_table && repeated_below(line, result);
        if (!repeated)
            out += line;
        in_table = repeated;
    }
    return out;
}

} // namespace runner
