// Strangers' files: each is compiled by itself, in a box of its own, and nothing of it is ever used again.
#pragma once

#include "compile/cache.h"
#include "compile/tools.h"
#include "compile/ways/way.h"

namespace compile {

/// Uses the grader's preparations: compilers that have read the lab's headers, and programs of the lab's own files. It
/// makes all or nothing.
class PreparedForSubmission : public Way {
  public:
    /// `group`: the control group of this submission, or empty.
    PreparedForSubmission(const Tools& tools, const Cache& work, const Prepared& prepared, fs::path group)
        : tools_(tools), work_(work), prepared_(prepared), group_(std::move(group)) {}
    std::string_view name() const override { return "prepared for submissions"; }
    Answer make(const Order& order) const override;

  private:
    Answer make_in(const fs::path& folder, const Order& order) const;

    const Tools& tools_;
    const Cache& work_;
    const Prepared& prepared_;
    fs::path group_;
};

/// One nvcc for all targets takes a quarter less processor time than one for each, though it finishes later. It also
/// reports errors in the file.
class NvccForSubmission : public Way {
  public:
    NvccForSubmission(const Tools& tools, const Cache& work) : tools_(tools), work_(work) {}
    std::string_view name() const override { return "nvcc for a submission"; }
    Answer make(const Order& order) const override;

  private:
    const Tools& tools_;
    const Cache& work_;
};

} // namespace compile
