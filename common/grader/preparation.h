// What one run of the grader makes ready before anybody looks at a submission: asynclab's files as submissions see
// them, and what saves their compilers time.
#pragma once

#include <optional>

#include "base/paths.h"
#include "grader/grade.h"
#include "judge/run_servers.h"
#include "process/process.h"

namespace grader {

class Preparation {
  public:
    /// Makes it in `folder`. `submissions`: for fewer than some, compilers that have read headers are not worth it.
    Preparation(const base::Paths& tree, const GradeOptions& options, const fs::path& folder, size_t submissions);
    /// For the process of one submission, which finds it again with prepared().
    void give(process::Spawn& spawn) const;

  private:
    fs::path file_;
    std::optional<judge::RunServers> servers_;
    Prepared prepared_;
};

/// What the grader has prepared for this process, if it has.
std::optional<Prepared> prepared();

} // namespace grader
