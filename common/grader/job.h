// The folder in which one submission is graded: its kernels one by one, and beside them the few files of asynclab that
// a student's program needs. Nothing else of the tree is in reach from there.
#pragma once

#include "grader/isolation/isolation.h"
#include "runner/paths.h"

namespace grader {

namespace fs = std::filesystem;

class Job {
  public:
    Job(const runner::Paths& tree, isolation::Level level);
    ~Job(); ///< the folder goes
    Job(const Job&) = delete;

    /// Writes a kernel.cu where the compiler finds it, and nothing else.
    fs::path put(const std::string& lab, const std::string& text) const;
    /// For the compiler: asynclab's files that students need, and a state folder of its own, so that no submission
    /// meets another's compiled parts.
    const runner::Paths& paths() const { return paths_; }
    const isolation::Box& box() const { return box_; }

  private:
    fs::path folder_;
    int lock_ = -1; ///< held while the folder is in use
    runner::Paths paths_;
    isolation::Box box_;
};

} // namespace grader
