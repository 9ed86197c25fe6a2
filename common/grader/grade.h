// Grades one submission: compiles and runs each of its kernels, isolated, and makes the result from which every format
// is written.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/paths.h"
#include "check/lab.h"
#include "grader/course.h"
#include "grader/result/result.h"
#include "grader/submission.h"
#include "isolation/isolation.h"
#include "judge/checker.h"

namespace grader {

/// The preparations of a grader's run for all submissions (preparation.h).
struct Prepared {
    fs::path kit; ///< asynclab's files, as submissions see them
    compile::Prepared run;
};

struct GradeOptions {
    std::vector<const check::ListedLab*> labs; ///< those that count
    uint64_t seed = 1;
    bool secret_seed = false;
    uint64_t repeat_seed = 0;        ///< of the values with which cases are repeated; 0: a fresh one
    bool chosen_repeat_seed = false; ///< by the instructor, to replay: results made with another one are renewed
    judge::Budget budget{300, 300};  ///< for all runs of one lab
    size_t schedules = 4;
    double timeout = 10;            ///< seconds for one run of one case
    unsigned compile_timeout = 120; ///< seconds for one compiler
    unsigned workers = 1;
    bool strict = false; ///< a warning counts as an error
    isolation::Level level = isolation::Level::limits;
    const Prepared* prepared = nullptr; ///< nullptr: this submission is graded by itself
    fs::path group{};                   ///< the control group of this submission; empty: none
    std::string student;                ///< whose constants the labs of Course::variants are checked with
};

/// What everything in a result depends on, besides this program: the files, the options, the course.
std::string inputs_hash(const std::string& name, const Submission& submission, const Course& course,
                        const GradeOptions& options);

/// The result. Grading again gives the same, but for Result::timing.
Result grade(const base::Paths& paths, const std::string& name, const Submission& submission, const Course& course,
             const GradeOptions& options, const std::function<void(std::string_view)>& progress = {});

/// Compiles an empty kernel as students' kernels are compiled. Throws base::Problem if that fails: then it is the
/// machine's fault if theirs do not compile, and no student must lose points for it.
void try_compiler(const base::Paths& paths, const GradeOptions& options);

/// Points after weights and the late policy: sets the result's and each lab's.
void score(Result& result, const Course& course);

} // namespace grader
