// What one run of the grader makes ready before anybody looks at a submission: asynclab's files as submissions see
// them, and what saves their compilers time.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/paths.h"
#include "compile/servers/grader_servers.h"
#include "grader/grade.h"
#include "process/process.h"

namespace grader {

class Preparation {
  public:
    /// Makes it in `folder`. `kernels`: how many there are of each lab; for few of them, compilers that have read the
    /// headers are not worth it.
    Preparation(const base::Paths& tree, const GradeOptions& options, const fs::path& folder,
                const std::map<std::string, size_t>& kernels);
    /// For the process of one submission, which finds it again with prepared().
    void give(process::Spawn& spawn) const;

  private:
    void start(const base::Paths& tree, const GradeOptions& options, const fs::path& folder,
               const std::vector<const check::ListedLab*>& labs);
    fs::path file_;
    std::optional<servers::GraderServers> servers_;
    Prepared prepared_;
};

/// What the grader has prepared for this process, if it has.
std::optional<Prepared> prepared();

} // namespace grader
