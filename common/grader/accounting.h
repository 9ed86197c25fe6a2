// The resources that a submission uses in all: compilers, the checker and the student's programs, as its control group
// counts them.
#pragma once

#include <string>

#include "grader/result/result.h"
#include "isolation/control_groups.h"

namespace grader {

/// The environment variable in which the grader passes the process of one submission its accounting group.
constexpr const char* accounting_variable = "LAB_GRADE_ACCOUNTING";
/// Its value.
std::string accounting(const isolation::ControlGroups& groups, const std::filesystem::path& group);

/// In the process of one submission: joins the group. Then, when all is graded, adds to the result how they were
/// measured ("accounting") and the numbers (in "timing").
class Accounting {
  public:
    Accounting();
    void write(Result& result) const;
    /// Empty: there is none.
    const std::filesystem::path& group() const { return group_; }

  private:
    std::filesystem::path group_;
    Accounted how_;
};

/// "2.3 s of processor time, 310 MiB"; empty if nothing was measured.
std::string taken(const Result& result);

} // namespace grader
