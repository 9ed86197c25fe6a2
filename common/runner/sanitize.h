// Runs compute-sanitizer's tools and reads their reports.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compiler.h"
#include "judge/gpu.h"
#include "judge/workers.h"
#include "runner/tool_findings.h"

namespace runner {

namespace fs = std::filesystem;

struct ToolReport {
    std::string tool; ///< "racecheck"
    std::vector<ToolFinding> findings;
    std::string unseen; ///< why it has not seen everything; empty: it has
};

/// Runs a program with NVIDIA's runtime under each of the tools. Throws Problem where compute-sanitizer is missing.
std::vector<ToolReport> sanitize(const compile::Toolchain& chain, const std::vector<std::string>& command);

/// The same with a lab's kernel.cu, called as in all of the lab's cases. Throws Problem, even when only the GPU cannot
/// run it.
std::vector<ToolReport> sanitize(const compile::Compiler& compiler, judge::Workers& workers,
                                 const check::ListedLab& lab, const fs::path& source, const check::gpu::Info& gpu,
                                 std::chrono::milliseconds timeout);

std::string text(const std::vector<ToolReport>& reports);
nlohmann::json to_json(const std::vector<ToolReport>& reports);

} // namespace runner
