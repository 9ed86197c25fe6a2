#include "runner/run_program.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>
#include <tuple>

#include <fmt/format.h>
#include <unistd.h>

#include "base/files.h"
#include "check/suite.h"
#include "sim/cuda/wire/command.h"
#include "sim/device/device.h"
#include "sim/machine/progress.h"
#include "sim/report/json.h"
#include "sim/rules/rule.h"
#include "sim/stepper/moments.h"

namespace runner {

using base::shown;
using sim::hazards::Finding, sim::hazards::Gap;

namespace run_schedules {
namespace {

constexpr size_t unasked_schedules = 4;         // lazy, eager, and two that vary
constexpr auto cheap = std::chrono::seconds(3); // no further schedule is begun after that

// Adds the gaps that a kernel leaves that ended before its time, if that is no finding.
void add_lost(const sim::machine::Outcome& lost, std::vector<Gap>& gaps) {
    if (lost.fault == sim::machine::Fault::runaway)
        add_once(gaps, {"a kernel was not run to its end: " + lost.message, "give it less work"});
    else if (!lost)
        add_once(gaps, {"a kernel failed, and nothing that the program asked of the device later was executed: " +
                            lost.message,
                        "make the kernel end without a fault, or let the program exit with an error of its own"});
}

/// The errors so far say only where the threads have stopped, and not why: another schedule may show that.
bool only_stuck(const Outcome& outcome) {
    return outcome.errors && std::ranges::all_of(outcome.findings, [](const Finding& finding) {
               return finding.severity != sim::hazards::Severity::error ||
                      (finding.rule->symptom && finding.others.empty());
           });
}

} // namespace
} // namespace run_schedules

Outcome outcome_of(sim::Device& device, const sim::machine::Outcome& lost, int code, const RunArguments& arguments,
                   Suppressions* suppressions) {
    Outcome outcome;
    outcome.code = code;
    std::vector<Finding> findings = sim::hazards::reported(device.reporter());
    if (code == 0)
        std::erase_if(findings, [](const Finding& finding) { return finding.rule && finding.rule->if_wrong; });
    if (arguments.strict)
        sim::hazards::promote_warnings(findings);
    for (Finding& finding : findings)
        if (const Suppression* by = suppressions ? suppressions->find(finding, arguments.file) : nullptr)
            outcome.suppressed.push_back({std::move(finding), by});
        else
            outcome.findings.push_back(std::move(finding));
    outcome.errors = size_t(std::ranges::count(outcome.findings, sim::hazards::Severity::error, &Finding::severity));
    outcome.gaps = device.gaps();
    outcome.executed = device.executed();
    outcome.protocol = device.protocol();
    outcome.not_supported = code == sim::cuda::exit_not_supported || lost.fault == sim::machine::Fault::not_implemented;
    if (outcome.not_supported)
        outcome.code = code_not_supported;
    else if (!outcome.errors)
        run_schedules::add_lost(lost, outcome.gaps);
    return outcome;
}

namespace run_schedules {
namespace {

Listening timeline_of(const Recorders& recorders, const RunArguments& arguments) {
    return sim::timeline::recorder(*recorders.timeline, {arguments.block.value_or(0)});
}

// Records the block; if the finding is about others, runs once more, without output.
Outcome run_through(const auto& once, const RunArguments& arguments, bool quiet, StepsOfRun& steps) {
    sim::stepper::RecorderOptions options{arguments.block.value_or(0), arguments.from - 1};
    Outcome outcome = once(sim::stepper::recorder(steps.recording, options), quiet);
    steps.findings = outcome.findings;
    const Finding* finding = sim::stepper::worst(steps.findings);
    if (!finding || arguments.block)
        return outcome;
    if (const auto subject = sim::stepper::other_blocks(steps.recording, *finding)) {
        options.block = subject->block;
        options.also = subject->also;
        steps.recording = {};
        steps.findings = once(sim::stepper::recorder(steps.recording, options), true).findings;
    }
    return outcome;
}

sim::machine::Options options(const RunArguments& arguments, const sim::machine::Schedule& schedule,
                              Listening listener) {
    sim::machine::Options options;
    options.listener = std::move(listener);
    options.schedule = schedule;
    options.properties = sim::machine::properties_of(
        arguments.arch.size() > 8 ? static_cast<uint32_t>(std::atoi(arguments.arch.c_str() + 8)) : 90);
    options.properties.sm_count = arguments.sms;
    options.cores = arguments.cores ? arguments.cores : std::max(1u, std::thread::hardware_concurrency());
    return options;
}

std::vector<sim::machine::Schedule> schedules(const RunArguments& arguments) {
    if (arguments.schedule.empty())
        return check::schedules(arguments.schedules ? std::min<size_t>(arguments.schedules, 10'000) : unasked_schedules,
                                arguments.seed);
    // The named one, then further seeds of it.
    std::vector<sim::machine::Schedule> chosen;
    for (auto schedule : check::schedules(3, arguments.seed))
        if (sim::hazards::name(schedule.completion) == arguments.schedule)
            for (; chosen.size() < std::clamp<size_t>(arguments.schedules, 1, 10'000); ++schedule.seed)
                chosen.push_back(schedule);
    return chosen;
}

/// What the device does in the order that the protocol check has found.
Outcome replayed(const Subject& subject, const RunArguments& arguments, const Outcome& found, RunProgress& progress,
                 const sim::machine::Schedule& first, Suppressions* suppressions) {
    sim::machine::Options all = options(arguments, {sim::machine::Schedule::Completion::eager}, {});
    all.replay = found.protocol.order;
    progress.begin("the order that was found", true);
    Outcome outcome = subject(arguments, {std::move(all), true, progress}, suppressions);
    outcome.thread_instructions = progress.executed();
    for (Finding& finding : outcome.findings)
        finding.schedule = first; // of the run from which the order follows
    return outcome;
}

/// The outcomes of one schedule after the other, as one.
class Total {
  public:
    Total(const RunArguments& arguments, size_t schedules) : arguments_(arguments) { all_.of = schedules; }

    const Outcome& so_far() const { return all_; }
    /// Of schedules that were not asked for, is one more not worth its time?
    bool enough() const {
        return all_.run && !arguments_.schedules && ((all_.errors && !only_stuck(all_)) || time() > cheap);
    }
    void add(const Outcome& outcome, const sim::machine::Schedule& schedule);
    /// The same program in the order that the protocol check has found, which is no schedule.
    void add_replayed(const Outcome& outcome) {
        add_findings(outcome);
        all_.thread_instructions += outcome.thread_instructions;
    }
    Outcome finished() &&;

  private:
    /// What makes a finding the same under another schedule.
    using Identity = std::tuple<const sim::hazards::Rule*, sim::hazards::Severity, std::string, uint32_t, uint32_t>;
    static Identity identity(const Finding& finding) {
        return {finding.rule, finding.severity, finding.first.file, finding.first.line,
                finding.others.empty() ? 0 : finding.others[0].line};
    }
    std::chrono::duration<double> time() const { return std::chrono::steady_clock::now() - began_; }
    void add_findings(const Outcome& outcome);
    void add_code(const Outcome& outcome, const sim::machine::Schedule& schedule);

    const RunArguments& arguments_;
    const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    Outcome all_;
    std::set<Identity> seen_, seen_suppressed_;
};

void Total::add(const Outcome& outcome, const sim::machine::Schedule& schedule) {
    add_findings(outcome);
    add_code(outcome, schedule);
    if (!all_.run) {
        all_.compared = outcome.compared;
        all_.protocol = outcome.protocol;
    }
    for (const Gap& gap : outcome.gaps)
        add_once(all_.gaps, gap);
    all_.executed.join(outcome.executed);
    all_.thread_instructions += outcome.thread_instructions;
    ++all_.run;
}

/// Causes come first if so far it was only known where the threads have stopped.
void Total::add_findings(const Outcome& outcome) {
    const bool stuck = only_stuck(all_);
    size_t causes = 0;
    for (const Finding& finding : outcome.findings) {
        if (!seen_.insert(identity(finding)).second)
            continue;
        const bool cause = stuck && finding.severity == sim::hazards::Severity::error && !finding.rule->symptom;
        all_.findings.insert(cause ? all_.findings.begin() + long(causes++) : all_.findings.end(), finding);
    }
    for (const Suppressed& suppressed : outcome.suppressed)
        if (seen_suppressed_.insert(identity(suppressed.finding)).second)
            all_.suppressed.push_back(suppressed);
    all_.errors += outcome.errors;
}

void Total::add_code(const Outcome& outcome, const sim::machine::Schedule& schedule) {
    const bool first = !all_.run;
    if (!first && !(all_.code == 0 && outcome.code != 0) && !outcome.not_supported)
        return;
    all_.code = outcome.code;
    all_.not_supported = outcome.not_supported;
    if (!first)
        all_.failed_under = schedule;
}

Outcome Total::finished() && {
    if (arguments_.strict && all_.run < all_.of && !all_.errors && !all_.code)
        all_.gaps.push_back({fmt::format("{} of {} schedules were not run, because the others took {:.1f} s",
                                         all_.of - all_.run, all_.of, time().count()),
                             fmt::format("--schedules {} runs all of them, --schedules {} declares these to be enough",
                                         all_.of, all_.run)});
    return std::move(all_);
}

} // namespace
} // namespace run_schedules

std::string_view Outcome::verdict() const {
    return not_supported          ? "not-supported"
           : errors               ? "hazard"
           : code == code_timeout ? "timeout"
           : code                 ? "failed"
           : gaps.empty()         ? "passed"
                                  : "incomplete";
}

int Outcome::exit_code() const {
    if (not_supported)
        return code_not_supported;
    return errors ? code_hazard : code ? code : gaps.empty() ? 0 : code_incomplete;
}

RunProgress::RunProgress(const RunArguments& arguments) : status_(shown(arguments.file)) {}

void RunProgress::begin(std::string doing, bool quiet) {
    doing_ = std::move(doing);
    // Between lines of a program that writes to the same terminal, a line that is taken back would destroy some.
    aloud_ = !quiet && isatty(1);
    began_ = std::chrono::steady_clock::now();
    next_ = std::chrono::seconds(5);
    before_ = sim::machine::executed_so_far;
}

uint64_t RunProgress::executed() const {
    return sim::machine::executed_so_far - before_;
}

void RunProgress::show() {
    const auto text = [&] { return amount(executed()) + " thread-instructions executed so far"; };
    if (!aloud_)
        return status_.show(fmt::format("{}, {}", doing_, text()));
    if (!isatty(2) || std::chrono::steady_clock::now() - began_ < next_)
        return;
    fmt::print(stderr, "lab: {} s: {}\n", next_.count(), text());
    next_ *= 2;
}

std::string amount(uint64_t number) {
    return number < 10'000          ? fmt::format("{}", number)
           : number < 1'000'000     ? fmt::format("{:.0f} thousand", double(number) / 1e3)
           : number < 1'000'000'000 ? fmt::format("{:.1f} million", double(number) / 1e6)
                                    : fmt::format("{:.2f} billion", double(number) / 1e9);
}

Outcome run_simulated(const Subject& subject, const RunArguments& arguments, const Recorders& recorders,
                      Suppressions* suppressions) {
    const auto chosen = run_schedules::schedules(arguments);
    run_schedules::Total total(arguments, chosen.size());
    RunProgress progress(arguments);
    for (const auto& schedule : chosen) {
        if (total.enough())
            break;
        const bool first = total.so_far().run == 0;
        const auto once = [&](Listening listener, bool quiet) {
            auto options = run_schedules::options(arguments, schedule, std::move(listener));
            options.protocol = first && arguments.protocol == "on";
            progress.begin(fmt::format("schedule {} of {}", total.so_far().run + 1, chosen.size()), quiet);
            Outcome outcome = subject(arguments, {std::move(options), quiet, progress}, suppressions);
            outcome.thread_instructions = progress.executed();
            return outcome;
        };
        StepsOfRun steps;
        const Outcome outcome = recorders.steps ? run_schedules::run_through(once, arguments, !first, steps)
                                : recorders.listener && first ? once(recorders.listener, false)
                                : recorders.timeline && first
                                    ? once(run_schedules::timeline_of(recorders, arguments), false)
                                    : once({}, !first);
        if (recorders.steps && (first || (outcome.errors && !total.so_far().errors)))
            *recorders.steps = std::move(steps);
        total.add(outcome, schedule);
        if (first && outcome.protocol.order && (arguments.replay || outcome.protocol.deviates))
            total.add_replayed(run_schedules::replayed(subject, arguments, outcome, progress, schedule, suppressions));
        if (total.so_far().code == code_timeout)
            break;
    }
    return std::move(total).finished();
}

} // namespace runner
