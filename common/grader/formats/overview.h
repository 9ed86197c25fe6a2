// What a class's results show beyond each student's points. For the report of a class, as a page, as text and as JSON.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "grader/formats/pair.h"
#include "grader/result/result.h"

namespace grader {

/// A rule or a verdict that no rule explains.
struct Obstacle {
    std::string name; ///< as reports write it
    size_t students = 0;
    std::map<std::string, size_t> labs; ///< how many of them in which
};

/// A wrong result that several submissions share.
struct CommonResult {
    std::string outcome; ///< a rule or a verdict
    std::string message; ///< the common part of the messages: numbers and quoted names are left out
    std::string todo;    ///< "TODO(2)"; empty: not known
    size_t students = 0;
    /// One submission that shows it.
    struct Example {
        std::string submission, item;
        size_t line = 0; ///< of its kernel.cu; 0: it names none
    } example;
};

struct TodoCount {
    size_t findings = 0;  ///< students with an error there
    size_t untouched = 0; ///< students who left it as it was
};

struct LabOverview {
    std::string lab;
    size_t handed_in = 0, missing = 0;
    double possible = 0;
    double step = 1;          ///< points in one bar of the histogram
    std::vector<size_t> bars; ///< how many of those who handed it in have each number of points, from 0 on
    std::map<std::string, TodoCount> todos;
    std::vector<CommonResult> results; ///< the most common ones, at most three
};

/// A submission that a person should look at, and why.
struct Talk {
    std::string submission, name;
    std::vector<std::string> reasons;
};

struct Overview {
    std::string course;
    size_t submissions = 0;
    std::vector<Obstacle> obstacles; ///< the most frequent ones first
    std::vector<LabOverview> labs;
    std::vector<Talk> talks;
    std::string accounting; ///< where times and memory in usage.csv come from
};

/// `alike`: from similarity.csv, if there is one.
Overview overview(const std::vector<Result>& results, const std::vector<Pair>& alike = {});

/// "ann, line 12 of kernel.cu" or "ann, case ragged tail".
std::string text(const CommonResult::Example& example);
/// "01: 3, 05: 2".
std::string text(const std::map<std::string, size_t>& labs);
/// "0", or "4 – 5" when a bar covers two points.
std::string bar_label(const LabOverview& lab, size_t bar);

} // namespace grader
