// The result of one submission: the contents of results/ID.json, from which every report is made. docs/grading.md
// describes it. JSON only exists in the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/constant.h"
#include "check/verdict.h"
#include "grader/result/student.h"
#include "grader/result/time.h"
#include "isolation/isolation.h"
#include "judge/checker.h"

namespace grader {

/// Of results: those of another version are not read.
constexpr int format_version = 2;

struct Finding : sim::hazards::Finding {
    std::string todo; ///< "TODO(2)": the part of the skeleton that contains it; empty: not known
};

/// The outcome of a case's run.
struct CaseRun {
    std::string message, call;
    std::vector<Finding> findings;
    std::optional<std::vector<sim::hazards::Gap>> gaps; ///< none: time ran out before the gaps were known
    std::optional<sim::machine::Executed> executed;     ///< the same
    std::string output;
    bool repeated = false;
    size_t runs = 0;
    std::string target, device, schedule;
    uint64_t seed = 0;
};

struct CaseResult {
    std::string name;
    double points = 0;
    double earned = 0; ///< all of them if it has passed
    bool passed = false;
    check::Verdict verdict = check::Verdict::missing;
    bool hidden = false;
    std::optional<CaseRun> run{};
    bool by_person = false; ///< a line of overrides.toml, not of the lab; never in a file

    const std::string& message() const;
    const std::vector<Finding>& findings() const;
    /// The first finding that is an error; nullptr: there is none.
    const Finding* error() const;
};

/// Present only if the lab was handed in.
struct HandedIn {
    std::string source{}, path{};
    std::string compile_errors;
    std::string gpu;
    std::vector<Finding> warnings, notes;
    std::vector<bool> failing_schedules;
    check::Constants constants; ///< a student's own
    bool over_budget = false;   ///< some runs did not take place
    std::optional<std::vector<int>> untouched_todos{};
};

struct LabResult {
    std::string lab;
    bool passed = false;
    double points = 0, possible = 0; ///< of the lab's own
    std::vector<CaseResult> cases{};
    std::optional<HandedIn> handed_in{};
    double weight = 1;
    std::optional<Time> due{};
    double late_percent = 0;
    double score = 0, out_of = 0; ///< after weight and late policy
    // What reports add; never in a file.
    std::string person{};    ///< what a person has decided
    bool excused = false;    ///< by a person: it counts for nothing
    size_t hidden_cases = 0; ///< left out for students

    std::string number() const { return lab.substr(0, 2); }
};

/// Seconds and bytes; values that were not measured are missing.
struct Taken {
    std::optional<double> seconds, compile_seconds, processor_seconds;
    std::optional<uint64_t> peak_bytes;
};
/// Result::timing of everything together, as the control group counts it.
constexpr const char* whole_submission = "submission";

/// How usage was measured.
struct Accounted {
    std::vector<std::string> measured;
    std::string why_not;
};

struct Result {
    int format = format_version;
    std::string course, submission;
    std::string inputs; ///< a hash of all that the result depends on
    isolation::Description isolation;
    uint64_t seed = 0;
    std::string seed_policy;
    uint64_t repeat_seed = 0;
    judge::Budget budget;
    bool strict = false;
    std::vector<std::string> problems;
    std::vector<std::string> unrecognised; ///< kernels that no lab is named by
    std::vector<LabResult> labs{};
    std::optional<Time> submitted{};
    bool called_late = false; ///< the platform says so, and no time
    double score = 0, possible = 0;
    std::map<std::string, Taken> timing{}; ///< by lab, and whole_submission
    std::vector<Student> students{};
    Accounted accounting{};

    const LabResult* of(std::string_view lab) const;
    /// Nothing was handed in for the lab, but something that could be for it: it has no score, not even 0.
    bool undecided(const LabResult& lab) const { return !unrecognised.empty() && !lab.handed_in && lab.person.empty(); }
    /// One of its labs is.
    bool undecided() const;
    /// Sets score and possible from the labs'.
    void add_up();
};

/// Scores are written with six decimals.
double rounded(double points);

/// Reads a result. Throws base::Problem if the file is none, or one of another version.
Result read_result(const std::filesystem::path& file);
void write_result(const std::filesystem::path& file, const Result& result);

/// A lab's report without what differs from run to run; that goes to `timing`. Paths in its texts become relative to
/// the folder of `source`.
LabResult lab_result(const judge::LabReport& report, const std::filesystem::path& source, Taken& timing);
/// The result of a lab that was not handed in.
LabResult missing(const check::ListedLab& lab);

} // namespace grader
