#include "runner/run_program.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>

#include <fmt/format.h>

#include "base/files.h"
#include "base/problem.h"
#include "check/server.h"
#include "check/suite.h"
#include "process/process.h"
#include "runner/command.h"
#include "sim/cuda/command.h"
#include "sim/report/json.h"
#include "sim/rules/rule.h"
#include "sim/stepper/moments.h"

namespace runner {

using base::Problem, base::shown;
using sim::hazards::Finding, sim::hazards::Gap;

namespace {

constexpr size_t unasked_schedules = 4;         // lazy, eager, and two that vary
constexpr auto cheap = std::chrono::seconds(3); // no further schedule is begun after that

// The program is still there when its time is up.
void out_of_time(process::Process& process, check::Server& server, const RunArguments& arguments) {
    const double timeout = arguments.timeout;
    const bool kernel = server.busy();
    const bool stopped = server.interrupt(std::chrono::seconds(2));
    process.kill();
    if (!kernel)
        fmt::print(stderr,
                   "lab: the program's host code was still running after {:g} s: does one of its loops not end? "
                   "(--timeout gives it more time)\n",
                   timeout);
    else
        fmt::print(stderr, "lab: a kernel was still running after {:g} s (--timeout gives it more time){}{}\n", timeout,
                   stopped ? ": " : "", stopped ? server.lock().trace.lost.message : "");
    if (stopped)
        return;
    if (arguments.last_words)
        arguments.last_words();
    std::fflush(nullptr);
    _exit(code_timeout); // the device's thread will not come back
}

// Runs what the program has left behind. False: it did not end before the deadline.
bool drain(check::Server& server, const std::optional<std::chrono::steady_clock::time_point>& deadline) {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false, stopped = false;
    std::thread guard([&] {
        std::unique_lock lock(mutex);
        if (deadline && !changed.wait_until(lock, *deadline, [&] { return done; })) {
            stopped = true;
            server.interrupt({});
        }
    });
    server.lock().device.drain();
    {
        const std::lock_guard lock(mutex);
        done = true;
    }
    changed.notify_all();
    guard.join();
    return !stopped || server.lock().trace.lost.fault != sim::machine::Fault::runaway;
}

// What a kernel that ended before its time leaves unjudged, if it is no finding.
void add_lost(const sim::machine::Outcome& lost, std::vector<Gap>& gaps) {
    if (lost.fault == sim::machine::Fault::runaway)
        add_once(gaps, {"a kernel was not run to its end: " + lost.message, "give it less work"});
    else if (!lost)
        add_once(gaps, {"a kernel failed, and nothing that the program asked of the device later was executed: " +
                            lost.message,
                        "make the kernel end without a fault, or let the program exit with an error of its own"});
}

Outcome outcome_of(check::Server& server, int code, const RunArguments& arguments, Suppressions* suppressions) {
    const auto access = server.lock();
    Outcome outcome;
    outcome.code = code;
    std::vector<Finding> findings = sim::hazards::reported(access.gpu->reporter());
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
    outcome.gaps = access.gpu->gaps();
    outcome.executed = access.gpu->executed();
    outcome.not_supported =
        code == sim::cuda::exit_not_supported || access.trace.lost.fault == sim::machine::Fault::not_implemented;
    if (outcome.not_supported)
        outcome.code = code_not_supported;
    else if (!outcome.errors)
        add_lost(access.trace.lost, outcome.gaps);
    return outcome;
}

using Listening = decltype(sim::machine::Options::listener);

Outcome run_once(const fs::path& program, const RunArguments& arguments, const sim::machine::Schedule& schedule,
                 bool quiet, const std::map<std::string, std::string>& environment, Listening listener,
                 Suppressions* suppressions, StatusLine& status, const std::string& doing) {
    sim::machine::Options options;
    options.listener = std::move(listener);
    options.schedule = schedule;
    options.properties.sm_count = arguments.sms;
    options.properties.sm =
        arguments.arch.size() > 8 ? static_cast<uint32_t>(std::atoi(arguments.arch.c_str() + 8)) : 90;
    check::Server server(options);
    int device[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, device) != 0)
        throw Problem{"no socket for the program", "close some programs and try again"};

    process::Spawn spawn;
    spawn.arguments = {program.string()};
    spawn.arguments.insert(spawn.arguments.end(), arguments.arguments.begin(), arguments.arguments.end());
    spawn.environment = environment;
    spawn.environment["ASYNCLAB_DEVICE"] = "fd:3";
    spawn.descriptors = {{3, device[1]}};
    if (arguments.stdout_is_ours && !quiet)
        spawn.descriptors[1] = 2;
    spawn.capture = false;
    spawn.quiet = quiet;
    spawn.inherit_stdin = !quiet;
    spawn.own_group = quiet || !isatty(0);
    spawn.limits.data_bytes = uint64_t{16} << 30;
    spawn.limits.more_processes = 1000;
    process::Process process(spawn);
    close(device[1]);
    server.start(device[0], {});

    using Clock = std::chrono::steady_clock;
    const Clock::time_point deadline =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(arguments.timeout));
    bool timed_out = false;
    while (!timed_out && !process.ended()) {
        usleep(500);
        if (quiet) // else the line is the program's
            status.show(doing);
        timed_out = arguments.timeout > 0 && Clock::now() > deadline;
    }
    status.clear();
    if (timed_out)
        out_of_time(process, server, arguments);
    process.kill(); // what it has left behind
    server.join();
    if (!drain(server, arguments.timeout > 0 ? std::optional(deadline) : std::nullopt) && !timed_out) {
        timed_out = true;
        fmt::print(
            stderr,
            "lab: the program has ended without waiting for its kernels, and one of them was still running after "
            "{:g} s (--timeout gives it more time): {}\n",
            arguments.timeout, server.lock().trace.lost.message);
    }
    Outcome outcome =
        outcome_of(server, timed_out ? code_timeout : process::exit_code(process.status()), arguments, suppressions);
    if (WIFSIGNALED(process.status()) && !quiet && !timed_out)
        fmt::print(stderr, "lab: the program died: {}{}\n", process::describe_status(process.status()),
                   WTERMSIG(process.status()) == SIGSEGV ? " in host code (does the host touch device memory?)" : "");
    return outcome;
}

Listening timeline_of(const Recorders& recorders, const RunArguments& arguments) {
    return sim::timeline::recorder(*recorders.timeline, {arguments.block.value_or(0)});
}

// Records the block; if what was found is in another one, once more, without its output.
Outcome run_through(const auto& once, const RunArguments& arguments, bool quiet, StepsOfRun& steps) {
    const auto recorder = [&](uint64_t block) {
        return sim::stepper::recorder(steps.recording, {block, arguments.from - 1});
    };
    Outcome outcome = once(recorder(arguments.block.value_or(0)), quiet);
    steps.findings = outcome.findings;
    const Finding* finding = sim::stepper::worst(steps.findings);
    if (!finding || arguments.block)
        return outcome;
    if (const auto block = sim::stepper::other_block(steps.recording, *finding)) {
        steps.recording = {};
        steps.findings = once(recorder(*block), true).findings;
    }
    return outcome;
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

} // namespace

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

std::vector<std::string> command(const fs::path& program, const RunArguments& arguments) {
    std::vector<std::string> all{program.string()};
    all.insert(all.end(), arguments.arguments.begin(), arguments.arguments.end());
    return all;
}

Outcome run_simulated(const fs::path& program, const RunArguments& arguments,
                      const std::map<std::string, std::string>& environment, const Recorders& recorders,
                      Suppressions* suppressions) {
    Outcome all;
    const auto chosen = schedules(arguments);
    all.of = chosen.size();
    using Place = std::tuple<const sim::hazards::Rule*, sim::hazards::Severity, std::string, uint32_t, uint32_t>;
    std::set<Place> seen, seen_suppressed;
    const auto place = [](const Finding& finding) {
        return Place{finding.rule, finding.severity, finding.first.file, finding.first.line,
                     finding.others.empty() ? 0 : finding.others[0].line};
    };
    const auto began = std::chrono::steady_clock::now();
    StatusLine status(shown(arguments.file));
    for (const auto& schedule : chosen) {
        const bool first = &schedule == chosen.data();
        const bool unasked = !first && arguments.schedules == 0;
        if (unasked && (all.errors || std::chrono::steady_clock::now() - began > cheap))
            break;
        const std::string doing = fmt::format("schedule {} of {}", &schedule - chosen.data() + 1, chosen.size());
        const auto once = [&](Listening listener, bool quiet) {
            return run_once(program, arguments, schedule, quiet, environment, std::move(listener), suppressions, status,
                            doing);
        };
        StepsOfRun steps;
        const Outcome outcome = recorders.steps               ? run_through(once, arguments, !first, steps)
                                : recorders.timeline && first ? once(timeline_of(recorders, arguments), false)
                                                              : once({}, !first);
        if (recorders.steps && (first || (outcome.errors && !all.errors)))
            *recorders.steps = std::move(steps);
        for (const Finding& finding : outcome.findings)
            if (seen.insert(place(finding)).second)
                all.findings.push_back(finding);
        for (const Suppressed& suppressed : outcome.suppressed)
            if (seen_suppressed.insert(place(suppressed.finding)).second)
                all.suppressed.push_back(suppressed);
        ++all.run;
        all.errors += outcome.errors;
        for (const Gap& gap : outcome.gaps)
            add_once(all.gaps, gap);
        all.executed.join(outcome.executed);
        if (first || (all.code == 0 && outcome.code != 0) || outcome.not_supported) {
            all.code = outcome.code;
            all.not_supported = outcome.not_supported;
            if (!first)
                all.failed_under = schedule;
        }
        if (all.code == code_timeout)
            break;
    }
    if (arguments.strict && all.run < all.of && !all.errors && !all.code)
        all.gaps.push_back(
            {fmt::format("{} of {} schedules were not run, because the others took {:.1f} s", all.of - all.run, all.of,
                         std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count()),
             fmt::format("--schedules {} runs all of them, --schedules {} declares these to be enough", all.of,
                         all.run)});
    return all;
}

int run_on_gpu(const fs::path& program, const RunArguments& arguments, const judge::Toolchain& chain) {
    process::Spawn spawn;
    spawn.arguments = command(program, arguments);
    spawn.environment = chain.environment();
    spawn.capture = false;
    spawn.inherit_stdin = true;
    spawn.own_group = !isatty(0);
    process::Process process(spawn);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(arguments.timeout);
    while (!process.ended()) {
        usleep(500);
        if (arguments.timeout > 0 && std::chrono::steady_clock::now() > deadline) {
            process.kill();
            fmt::print(stderr, "lab: the program was still running after {:g} s (--timeout gives it more time)\n",
                       arguments.timeout);
            return code_timeout;
        }
    }
    process.kill(); // what it has left behind
    if (WIFSIGNALED(process.status()))
        fmt::print(stderr, "lab: the program died: {}\n", process::describe_status(process.status()));
    return process::exit_code(process.status());
}

} // namespace runner
