// course.toml: what an instructor decides. Everything in it is optional; see docs/grading.md.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grader/files.h"
#include "grader/result/time.h"

namespace grader {

struct CourseLab {
    double weight = 1; ///< of a point of this lab
    std::optional<Time> due;
    std::set<std::string> hidden; ///< cases whose outcome students do not see
};

struct LatePolicy {
    std::chrono::minutes grace{0};
    double percent_per_day = 0; ///< of the lab's points, for each day that has begun
    double most_percent = 100;  ///< never takes more than this
    std::optional<int> days;    ///< later than this counts nothing
    /// days by which a submission that Canvas marks as LATE is late: its downloads hold no times
    int canvas_days = 0;
};

/// Constants that are each student's own; see check/constant.h.
struct Variants {
    std::set<std::string> labs;                ///< their names
    std::map<std::string, std::string> called; ///< submission -> the id that its values are drawn for
};

struct Course {
    std::string title = "asynclab";
    std::map<std::string, CourseLab> labs; ///< those that are graded; empty: all, with weight 1
    LatePolicy late;
    bool strict = false;      ///< a warning fails a case
    bool strict_gate = false; ///< judge::CheckOptions'
    int hazard_percent = 50;  ///< the same
    Variants variants;
    std::map<std::string, Time> submitted; ///< by submission, where the download holds no times
};

/// `labs`: the names of those that exist. Throws base::Problem that names the line.
Course read_course(const fs::path& file, const std::vector<std::string>& labs);

/// The share of the lab's points that the late policy deducts, 0 … 1.
double late_share(const LatePolicy& policy, std::optional<Time> due, std::optional<Time> submitted);

double late_share(const LatePolicy& policy, double days);

} // namespace grader
