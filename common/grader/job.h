// The folder in which one submission is graded: its kernels one by one, and beside them the few files of asynclab that
// a student's program needs. Nothing else of the tree is in reach from there.
#pragma once

#include "base/paths.h"
#include "isolation/isolation.h"

namespace grader {

namespace fs = std::filesystem;

/// A folder in TMPDIR for as long as this lives. What graders that were killed have left there is removed, too.
class Scratch {
  public:
    Scratch();
    ~Scratch();
    Scratch(const Scratch&) = delete;
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
    int lock_ = -1; ///< held while the folder is in use
};

/// Copies asynclab's files that submissions need to `folder`/kit.
base::Paths make_kit(const base::Paths& tree, const fs::path& folder);

class Job {
  public:
    /// `kit`: made by make_kit; empty: it gets one of its own.
    Job(const base::Paths& tree, isolation::Level level, const fs::path& kit = {});
    ~Job();
    Job(const Job&) = delete;

    /// Writes a kernel.cu where the compiler finds it, and nothing else.
    fs::path put(const std::string& lab, const std::string& text) const;
    /// For the compiler: asynclab's files that students need, and a state folder of its own, so that no submission
    /// meets another's compiled parts.
    const base::Paths& paths() const { return paths_; }
    const isolation::Box& box() const { return box_; }

  private:
    Scratch scratch_;
    base::Paths paths_;
    isolation::Box box_;
};

} // namespace grader
