// compute-sanitizer's tools, and what they say.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runner/paths.h"
#include "runner/toolchain.h"

namespace runner {

/// What a tool reports of one place.
struct ToolFinding {
    std::string message; ///< its first line
    std::string place;   ///< "kernel.cu:41"; empty: it names none
    size_t count = 0;
    bool operator==(const ToolFinding&) const = default;
};
std::vector<ToolFinding> tool_findings(std::string_view output);

/// Throws Problem where compute-sanitizer is not installed.
fs::path find_sanitizer(const Toolchain& chain);

/// Runs the command under each of the tools and prints what they say to `out`.
void sanitize(std::FILE* out, const fs::path& sanitizer, const std::vector<std::string>& command,
              const std::map<std::string, std::string>& environment);

} // namespace runner
