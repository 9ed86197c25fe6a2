#include "runner/run_program.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "base/problem.h"
#include "check/server.h"
#include "process/process.h"
#include "runner/standard_input.h"

namespace runner {

using base::Problem;

namespace {

// The program is still there when its time is up.
void out_of_time(process::Process& process, check::Server& server, const RunArguments& arguments) {
    const double timeout = arguments.timeout;
    const bool kernel = server.busy();
    const bool stopped = server.interrupt(std::chrono::seconds(2));
    process.kill();
    const std::string where = stopped ? server.lock().trace.lost.message : ""; // none if it has ended meanwhile
    if (!kernel)
        fmt::print(stderr,
                   "lab: the program's host code was still running after {:g} s: does one of its loops not end? "
                   "(--timeout gives it more time)\n",
                   timeout);
    else
        fmt::print(stderr, "lab: a kernel was still running after {:g} s (--timeout gives it more time){}{}\n", timeout,
                   where.empty() ? "" : ": ", where);
    if (stopped)
        return;
    if (arguments.last_words)
        arguments.last_words();
    std::fflush(nullptr);
    _exit(code_timeout); // the device's thread will not come back
}

// Runs the operations that the program has left pending. False: they did not end before the deadline.
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

Outcome run_once(const fs::path& program, const std::map<std::string, std::string>& environment,
                 const RunArguments& arguments, const OneRun& one, Suppressions* suppressions) {
    const bool quiet = one.quiet;
    using Keep = check::Server::Keep;
    check::Server server(one.options, arguments.keep ? Keep::all : Keep::nothing);
    int device[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, device) != 0)
        throw Problem{"no socket for the program", "close some programs and try again"};

    process::Spawn spawn;
    spawn.arguments = {program.string()};
    spawn.arguments.insert(spawn.arguments.end(), arguments.arguments.begin(), arguments.arguments.end());
    spawn.environment = environment;
    spawn.environment["ASYNCLAB_DEVICE"] = "fd:3";
    spawn.environment["ASYNCLAB_CONNECTED"] = "";                      // whatever has started us
    spawn.environment["ASYNCLAB_SMS"] = std::to_string(arguments.sms); // for what the driver says before it connects
    spawn.environment["ASYNCLAB_SM"] = std::to_string(one.options.properties.sm);
    spawn.descriptors = {{3, device[1]}};
    if (arguments.stdout_is_ours && !quiet)
        spawn.descriptors[1] = 2;
    spawn.capture = false;
    spawn.quiet = quiet;
    const bool debugged = !arguments.stop.empty(); // then commands for the debugger come from there
    std::optional<StandardInput::Run> input;
    if (!debugged)
        input.emplace(StandardInput::get());
    if (input && input->fd() >= 0)
        spawn.descriptors[0] = input->fd();
    else
        spawn.inherit_stdin = !quiet && !debugged;
    spawn.own_group = quiet || !isatty(0);
    spawn.limits.data_bytes = uint64_t{16} << 30;
    spawn.limits.more_processes = 1000;
    spawn.box = arguments.box;
    process::Process process(spawn);
    close(device[1]);
    if (input)
        input->started(process.id());
    server.start(device[0], {});

    using Clock = std::chrono::steady_clock;
    const Clock::time_point deadline =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(arguments.timeout));
    bool timed_out = false;
    while (!timed_out && !process.ended()) {
        usleep(500);
        if (!debugged)
            one.progress.show();
        timed_out = arguments.timeout > 0 && Clock::now() > deadline;
    }
    one.progress.clear();
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
    const check::Recorded run = server.take_recording();
    const auto access = server.lock();
    Outcome outcome =
        outcome_of(*access.gpu, access.trace.lost, timed_out ? code_timeout : process::exit_code(process.status()),
                   arguments, suppressions);
    if (arguments.keep)
        arguments.keep(run, outcome, one.options.schedule);
    if (WIFSIGNALED(process.status()) && !quiet && !timed_out)
        fmt::print(stderr, "lab: the program died: {}{}\n", process::describe_status(process.status()),
                   WTERMSIG(process.status()) == SIGSEGV ? " in host code (does the host touch device memory?)" : "");
    return outcome;
}

} // namespace

std::vector<std::string> command(const fs::path& program, const RunArguments& arguments) {
    std::vector<std::string> all{program.string()};
    all.insert(all.end(), arguments.arguments.begin(), arguments.arguments.end());
    return all;
}

Subject program(fs::path program, std::map<std::string, std::string> environment) {
    return [program = std::move(program), environment = std::move(environment)](
               const RunArguments& arguments, const OneRun& one, Suppressions* suppressions) {
        return run_once(program, environment, arguments, one, suppressions);
    };
}

int run_on_gpu(const fs::path& program, const RunArguments& arguments, const compile::Toolchain& chain) {
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
