#include "runner/tool_findings.h"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>

namespace runner {

namespace {

// "in /home/someone/kernel.cu:41" -> "kernel.cu:41"; empty: the line names no place.
std::string place_named_in(const std::string& text) {
    static const std::regex place(R"( in (\S+):(\d+))");
    std::smatch match;
    if (!std::regex_search(text, match, place))
        return {};
    return std::filesystem::path(match[1].str()).filename().string() + ":" + match[2].str();
}

// Without the function and the offset, which differ where lines are the same: "Race reported between Write access".
std::string without_function(const std::string& text) {
    const std::string whole = text.substr(0, text.find('+'));
    const size_t at = whole.find(" access at ");
    return at == std::string::npos ? whole : whole.substr(0, at + std::string_view(" access").size());
}

} // namespace

std::vector<ToolFinding> tool_findings(std::string_view output) {
    constexpr std::string_view mark = "========= ";
    static const std::regex summary(
        "^(COMPUTE-SANITIZER|Error: Target application|(ERROR|RACECHECK|LEAK) SUMMARY|Target application|Process )"),
        other_access("^ +(and \\w+ access) at ");
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
        const std::string text = line.substr(mark.size()), place = place_named_in(text);
        std::smatch match;
        if (!text.empty() && text[0] != ' ') {
            finish();
            if (!std::regex_search(text, summary))
                next.message = without_function(text);
        } else if (std::regex_search(text, match, other_access)) {
            const std::string other = " " + match[1].str() + (place.empty() ? "" : " at " + place);
            if (next.message.find(other) == std::string::npos)
                next.message += other;
            continue;
        }
        if (next.place.empty())
            next.place = place;
    }
    finish();
    return all;
}

} // namespace runner
