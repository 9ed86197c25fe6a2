// Many submissions: one process each, so that none can disturb another, results as files, reports at the end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/paths.h"
#include "grader/collect.h"
#include "grader/grade.h"

namespace grader {

/// The environment variable with the seed of --seed-policy secret: command lines are for all to read.
constexpr const char* seed_variable = "LAB_GRADE_SEED";
/// The same for --repeat-seed.
constexpr const char* repeat_seed_variable = "LAB_GRADE_REPEAT_SEED";

struct BatchOptions {
    std::vector<fs::path> submissions;
    fs::path out;
    Course course;
    std::string course_file;
    GradeOptions grade;
    unsigned jobs = 0;
    size_t shard = 1, shards = 1; ///< every `shards`-th submission, beginning with number `shard`
    bool similarity = false;      ///< also compare submissions
    std::string platform;         ///< collect() explains it
};

/// The exit code when all is graded, but the grader could not assign some of the files.
constexpr int exit_not_recognised = 3;

/// Grades the submissions that have no result yet, or one of other inputs; then writes the reports. The exit code: 0, 1
/// if the grader itself failed, or exit_not_recognised.
int grade_all(const base::Paths& paths, BatchOptions options);

/// One submission, its result not yet written.
Result grade_one(const base::Paths& paths, const Found& found, const BatchOptions& options,
                 const std::function<void(std::string_view)>& progress);

} // namespace grader
