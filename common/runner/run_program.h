// Running a program of the user's own: on the simulated device under one or several schedules, or on the GPU.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/toolchain.h"
#include "runner/suppress.h"
#include "sim/machine/executed.h"
#include "sim/report/finding.h"
#include "sim/report/gap.h"
#include "sim/stepper/recorder.h"
#include "sim/timeline/recorder.h"

namespace runner {

/// Exit codes of `./lab run` beside the program's own.
inline constexpr int code_hazard = 3, code_not_supported = 4, code_timeout = 124;

struct RunArguments {
    std::vector<std::string> files;
    std::string file, arch = "compute_90a", schedule, json, trace, step, device;
    std::vector<std::string> arguments, nvcc;
    std::vector<std::string> formats; ///< "sarif:FILE"
    std::string suppress;             ///< a file; empty: nothing is suppressed
    uint64_t seed = 1;
    std::optional<uint64_t> block{};
    uint64_t from = 1;    ///< of --step: the first step that is kept
    size_t schedules = 0; ///< 0: a few, as long as they are cheap
    uint32_t sms = 4;
    double timeout = 60;
    bool sanitize = false, strict = false;
    bool all = false;                   ///< show consequences in full, too
    bool stdout_is_ours = false;        ///< so what the program writes there goes to stderr
    std::function<void()> last_words{}; ///< called if this process has to end because a kernel does not
};

/// A finding that is not reported.
struct Suppressed {
    sim::hazards::Finding finding;
    const Suppression* by;
};

struct Outcome {
    int code = 0;               ///< the program's, or one of the above
    bool not_supported = false; ///< the device could not run the program
    std::vector<sim::hazards::Finding> findings;
    std::vector<Suppressed> suppressed;  ///< not in `findings`
    size_t errors = 0;                   ///< in `findings`
    std::vector<sim::hazards::Gap> gaps; ///< what was not judged
    sim::machine::Executed executed;
    size_t run = 0, of = 0; ///< schedules
    std::optional<sim::machine::Schedule>
        failed_under{}; ///< `code` is of this further schedule, whose output is hidden

    /// "passed", "hazard", "incomplete", "failed" (the program itself), "not-supported", "timeout".
    std::string_view verdict() const;
    /// Of `./lab run`: never 0 unless nothing was found and everything was judged.
    int exit_code() const;
};

/// The program with its arguments, as a process is started with it.
std::vector<std::string> command(const std::filesystem::path& program, const RunArguments& arguments);

/// The run to step through: the first in which an error was found; if there is none, the first.
struct StepsOfRun {
    sim::stepper::Recording recording;
    std::vector<sim::hazards::Finding> findings; ///< of that run
};
/// What to record, if anything.
struct Recorders {
    sim::timeline::Recording* timeline = nullptr; ///< of the first run
    StepsOfRun* steps = nullptr;
};

/// On the simulated device, under one schedule after the other: each finding once, and the first exit code that is not
/// 0. Only the first run's output is shown. `suppressions` may be nullptr.
Outcome run_simulated(const std::filesystem::path& program, const RunArguments& arguments,
                      const std::map<std::string, std::string>& environment, const Recorders& recorders,
                      Suppressions* suppressions);

/// With nothing of ours between it and the GPU. Returns the exit code.
int run_on_gpu(const std::filesystem::path& program, const RunArguments& arguments, const judge::Toolchain& chain);

} // namespace runner
