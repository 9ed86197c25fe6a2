// Runs the user's own programs: on the simulated device under one or several schedules, or on the GPU.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/device_server.h"
#include "compile/toolchain.h"
#include "isolation/isolation.h"
#include "launch/launch.h"
#include "runner/context.h"
#include "runner/suppress.h"
#include "sim/machine/executed.h"
#include "sim/protocol/summary.h"
#include "sim/report/finding.h"
#include "sim/report/gap.h"
#include "sim/stepper/recorder.h"
#include "sim/timeline/recorder.h"

namespace runner {

struct Outcome;
struct NamedModel;

/// Exit codes of `./lab run` beside the program's own.
inline constexpr int code_hazard = 3, code_not_supported = 4, code_timeout = 124;

struct RunArguments {
    std::vector<std::string> files;
    std::string file, arch = "compute_90a", schedule, json, trace, step, device;
    std::string stop, condition; ///< --break, --if
    std::string core;            ///< a file that keeps the first run with an error
    std::string protocol = "on"; ///< or "off"
    std::string launch;          ///< of a .ptx file: the file that describes it
    bool arch_given = false;     ///< --arch
    bool command = false;        ///< `file` is a program of the system's, as in `./lab run -- python3 script.py`
    std::vector<std::string> arguments, nvcc;
    std::vector<std::string> formats;           ///< "sarif:FILE"
    std::string suppress;                       ///< a file; empty: nothing is suppressed
    std::string model;                          ///< of --trace
    std::shared_ptr<const NamedModel> timing{}; ///< that model
    uint64_t seed = 1;
    std::optional<uint64_t> block{};
    uint64_t from = 1;    ///< of --step: the first step that is kept
    size_t schedules = 0; ///< 0: a few, as long as they are cheap
    uint32_t sms = 4;
    uint32_t cores = 0; ///< for the blocks of a launch; 0: all that there are
    double timeout = 60;
    uint32_t compile_timeout = 120; ///< seconds of processor time for each compiler; 0: no limit
    bool sanitize = false, strict = false;
    bool boxed = false;                  ///< --box
    std::optional<isolation::Box> box{}; ///< of the program, if `boxed`
    bool replay = false;                 ///< run once more in the order that the protocol check has found
    bool all = false;                    ///< show consequences in full, too
    bool stdout_is_ours = false;         ///< so the program's own output goes to stderr
    std::function<void()> last_words{};  ///< called if this process has to end because a kernel does not
    /// Called after each run, with the program's requests; none: they are not kept.
    std::function<void(const check::Recorded&, const Outcome&, const sim::machine::Schedule&)> keep{};
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
    sim::protocol::Summary protocol;        ///< of the first run
    std::vector<launch::Compared> compared; ///< of launches: buffers and their expectations, in the first run
    uint64_t thread_instructions = 0;
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
using Listening = decltype(sim::machine::Options::listener);

/// What to record, if anything.
struct Recorders {
    sim::timeline::Recording* timeline = nullptr; ///< of the first run
    StepsOfRun* steps = nullptr;
    Listening listener{}; ///< of the first run
};

/// Shows on the terminal how far a long run has come, so that a slow run is not taken for a stuck one.
class RunProgress {
  public:
    explicit RunProgress(const RunArguments& arguments);
    void begin(std::string doing, bool quiet); ///< a run, whose output is not shown if it is quiet
    void show();                               ///< call it again and again
    void clear() { status_.clear(); }
    uint64_t executed() const; ///< thread-instructions since begin()

  private:
    StatusLine status_;
    std::string doing_;
    bool aloud_ = false;
    std::chrono::steady_clock::time_point began_;
    std::chrono::seconds next_{};
    uint64_t before_ = 0;
};
/// "1.2 million"
std::string amount(uint64_t number);

/// One run, under one schedule.
struct OneRun {
    sim::machine::Options options; ///< of the device
    bool quiet;                    ///< its output is not shown
    RunProgress& progress;
};
/// A program to run under one schedule after the other; `suppressions` may be nullptr.
using Subject = std::function<Outcome(const RunArguments& arguments, const OneRun& one, Suppressions* suppressions)>;
/// A program in a process of its own.
Subject program(std::filesystem::path program, std::map<std::string, std::string> environment);
/// The kernels of a .ptx file, launched as `RunArguments::launch` describes it (run_launch.cpp). Throws Problem.
Subject launches(const std::filesystem::path& ptx, const RunArguments& arguments);

/// The outcome of a run. `lost`: why the device no longer carries out commands.
Outcome outcome_of(sim::Device& device, const sim::machine::Outcome& lost, int code, const RunArguments& arguments,
                   Suppressions* suppressions);

/// On the simulated device, under one schedule after the other: each finding once, and the first exit code that is not
/// 0. Only the first run's output is shown. `suppressions` may be nullptr.
Outcome run_simulated(const Subject& subject, const RunArguments& arguments, const Recorders& recorders,
                      Suppressions* suppressions);

/// Runs the program on the GPU without the simulated runtime. Returns the exit code.
int run_on_gpu(const std::filesystem::path& program, const RunArguments& arguments, const compile::Toolchain& chain);

} // namespace runner
