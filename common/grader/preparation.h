// The preparations of one run of the grader, before any submission is read: asynclab's files as submissions see them,
// and files that save their compilers time.
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

/// The grader's preparations for this process, if there are any.
std::optional<Prepared> prepared();

} // namespace grader
