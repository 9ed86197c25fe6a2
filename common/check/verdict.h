// How one run of a case, or of a program, ended.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sim/protocol/summary.h"
#include "sim/report/finding.h"
#include "sim/report/gap.h"
#include "sim/timeline/estimate.h"

namespace check {

/// In the order in which a report prefers them: an earlier verdict explains those that follow from it.
enum class Verdict {
    internal,      ///< the lab's own fault, never the student's
    not_supported, ///< the simulated device cannot run it
    hazard,
    crash,      ///< the program died
    timeout,    ///< the program or a kernel did not end
    cuda_error, ///< a CUDA call or a kernel failed
    wrong,      ///< wrong results
    mechanism,  ///< right results, but not by the means that the lab is about
    unearned,   ///< it passes, but the case that shows the lab's mechanism says why that earns no points: gate.h
    incomplete, ///< nothing was found, but not everything was judged: RunResult::gaps
    passed,
    // Only in the report of a case, never of a run.
    not_run,       ///< no run took place
    compile_error, ///< there is no program
    missing,       ///< nothing was handed in
    not_given,     ///< points that a person has not given
};
/// "hazard", "cuda-error".
std::string_view name(Verdict verdict);

/// Thrown to end a case.
struct Failed {
    Verdict verdict;
    std::string message;         ///< one or more lines for people
    bool kernel_stopped = false; ///< RunResult::kernel_stopped
    bool partly = false;         ///< RunResult::partly
    double share = 0;            ///< RunResult::share
};

/// How fast a launch function was on a GPU, or the GPU's own copy.
struct Measurement {
    std::string variant;   ///< "4 stages"; empty: there is one only
    uint64_t bytes = 0;    ///< that have to be read and written
    double seconds = 0;    ///< median; 0: it was not measured
    double operations = 0; ///< multiplications and additions of matrices; 0: it multiplies none
    double library = 0;    ///< seconds that cuBLAS takes for the same; 0: not measured
};

struct RunResult {
    Verdict verdict = Verdict::passed;
    std::string message;
    std::string call; ///< the call of the launch function it is about: "launch([1000], [1000], 1000)"
    std::vector<sim::hazards::Finding> findings;     ///< errors, then warnings, then notes
    std::vector<sim::hazards::Gap> gaps;             ///< what was not judged
    sim::machine::Executed executed;                 ///< on the simulated device
    sim::protocol::Summary protocol;                 ///< with RunConfig::protocol
    std::optional<sim::timeline::Estimate> estimate; ///< with RunConfig::estimate, of a run without errors
    std::string output;                              ///< the program's output, shortened
    bool repeated = false;                           ///< it passed, but not when it was repeated with other values
    bool kernel_stopped =
        false; ///< a kernel was still running when time was up: how far it came differs from run to run
    double seconds = 0;
    double processor_seconds = 0;      ///< of this process and its children, the program among them
    std::vector<Measurement> measured; ///< by check::measure; the first is the GPU's own copy
    /// Neither the program nor the case has asked for the target: with the same PTX for another one, all is the same.
    bool any_target = false;
    uint64_t right = 0, compared = 0; ///< elements of results, if RunConfig::means
    /// With Verdict::mechanism: the mechanism is used, but copies overlap less than the lab asks for. `share`: how much
    /// of it, from 0 to 1, and so of the case's points.
    bool partly = false;
    double share = 0;
    bool stuck = false; ///< this process is of no more use: a kernel is still running, or a GPU was lost
};
/// A program's output may not be UTF-8: dump with error_handler_t::replace.
nlohmann::json to_json(const RunResult& result);
RunResult run_result(const nlohmann::json& json);

} // namespace check
