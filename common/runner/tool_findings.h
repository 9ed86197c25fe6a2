// What compute-sanitizer's tools print.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runner {

/// A tool's finding at one place.
struct ToolFinding {
    std::string message; ///< its first line, and the other access of a race
    std::string place;   ///< "kernel.cu:41"; empty: it names none
    size_t count = 0;
    bool operator==(const ToolFinding&) const = default;
};
/// Each once, in the order in which they are printed.
std::vector<ToolFinding> tool_findings(std::string_view output);

} // namespace runner
