// Checks one file against one lab: compiles it, runs every case with every target and schedule, and sums up.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "check/suite.h"
#include "compile/compiler.h"
#include "judge/gpu.h"
#include "judge/workers.h"

namespace judge {

namespace fs = std::filesystem;

/// Instructions are taken out of the PTX of one target; removables() lists them. See removal.h.
struct Skip {
    std::string arch;
    std::vector<size_t> indices;
};

/// The time that all runs of one lab may take together, in seconds; 0: unlimited. A run that has begun may end.
struct Budget {
    double wall = 0, processor = 0;
};

/// The device that runs a lab's cases. Only the simulated device observes hazards and mechanisms.
enum class Where : uint8_t { simulated, gpu, both };

struct CheckOptions {
    Where where = Where::simulated;
    std::optional<check::gpu::Info> gpu; ///< unless simulated: the GPU
    uint64_t seed = 1;
    uint64_t repeat_seed = 0; ///< of the values with which cases are repeated; 0: a fresh one, as it should be
    Budget budget;
    check::Constants constants; ///< a student's own; empty: the skeleton's
    size_t schedules = 4;
    std::vector<sim::machine::Schedule> only;  ///< instead of `schedules` ones
    std::chrono::milliseconds timeout{10'000}; ///< for one run of one case
    bool stop_early = true;                    ///< a case that has failed is not run with further schedules
    bool each_schedule = false;                ///< instead: a schedule in which a case has failed runs no further cases
    std::optional<Skip> skip;
    bool estimate = false;        ///< the timing model's, of labs that it holds for: LabReport::estimate
    bool strict = false;          ///< a warning counts as an error
    bool strict_gate = false;     ///< cases earn nothing unless the case that shows the lab's mechanism passes
    int hazard_percent = 50;      ///< what a case with a hazard earns of its points if it is right apart from that
    bool stop_at_failure = false; ///< the first failure of any case ends the check
    bool stop_at_timeout = false; ///< a run that takes all of `timeout` ends the check
    std::string only_cases;       ///< those whose name contains this
};

struct CaseReport {
    check::Case info;
    check::RunResult result; ///< of the first run that failed (in the order of schedules), else of one that is
                             ///< incomplete, else of the last one
    check::Target target;    ///< of that run
    bool gpu = false;        ///< that run was on the GPU
    sim::machine::Schedule schedule;
    size_t runs = 0;
    sim::machine::Executed executed{}; ///< in all runs on the simulated device
    sim::protocol::Summary protocol{}; ///< in the runs with it
    bool cut_short = false;            ///< not all of its runs took place, as another case exceeded the time limit
    int earned = 0;                    ///< of its points
    bool passed() const { return runs && result.verdict == check::Verdict::passed && !cut_short; }
    /// No run contradicts it, but not all of them took place, or not all that they did was judged.
    bool incomplete() const;
    /// The verdict of all runs together.
    check::Verdict verdict() const;
};

struct LabReport {
    std::string lab;
    fs::path source;
    Where where = Where::simulated;
    std::string gpu; ///< its name, or why it runs nothing of this lab
    bool gpu_runs_it = false;
    std::string only;           ///< CheckOptions::only_cases
    check::Constants constants; ///< a student's own
    std::string compile_errors, compile_warnings;
    std::vector<CaseReport> cases;
    std::vector<sim::hazards::Finding> warnings, notes; ///< each once
    std::vector<bool> failing_schedules;                ///< with each_schedule: did a case fail?
    int points = 0, possible = 0;
    std::optional<sim::timeline::Estimate> estimate; ///< of the case Lab::modelled; points do not depend on it
    uint64_t repeat_seed = 0;                        ///< to replay what failed in a repetition
    double compile_seconds = 0, seconds = 0;         ///< all
    double processor_seconds = 0;                    ///< of the runs
    bool over_budget = false; ///< the runs took more than CheckOptions::budget: some did not take place
    bool passed() const;
    /// No case has failed, but some were not judged to their end.
    bool incomplete() const;
    /// The failed case that explains most; nullptr if all passed.
    const CaseReport* first_failure() const;
};
nlohmann::json to_json(const LabReport& report);

/// Why a file's text cannot be source; empty: it can.
std::string why_no_source(std::string_view text);

/// Calls `progress` with the current activity, ten times a second or more often.
LabReport check_lab(const compile::Compiler& compiler, Workers& workers, const check::ListedLab& lab,
                    const fs::path& source, const CheckOptions& options, const compile::Ticker& progress = {});

} // namespace judge
