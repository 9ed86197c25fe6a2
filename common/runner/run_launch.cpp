// ./lab run FILE.ptx --launch FILE.toml: kernels without a host program, on a device in this process.
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "base/files.h"
#include "base/problem.h"
#include "launch/launch.h"
#include "launch/own_lines.h"
#include "launch/skeleton.h"
#include "runner/launch_file.h"
#include "runner/run_program.h"
#include "sim/machine/program.h"
#include "sim/ptx/module.h"

namespace runner {

using base::Problem, base::read_file, base::shown, base::write_file;

namespace run_launch {
namespace {

struct Launched {
    launch::Launches launches;
    sim::machine::Outcome outcome;
};

Launched carry_out(sim::Device& device, const fs::path& ptx, const LaunchFile& file) {
    try {
        const auto beside = [&](const std::string& name) { return read_file(file.beside(name)); };
        Launched all{launch::prepare(device, launch::with_own_lines(read_file(ptx), fs::absolute(ptx).string()),
                                     file.description(), beside),
                     {}};
        all.outcome = launch::run(device, all.launches);
        return all;
    } catch (const launch::Mistake& mistake) {
        throw file.problem(mistake);
    } catch (const sim::ptx::ParseError& error) {
        const std::string said = error.what(); // "PTX line 7: …"
        throw Problem{fmt::format("{}:{}: {}", shown(ptx), error.line, said.substr(said.find(": ") + 2)),
                      "take the PTX as the compiler wrote it", code_not_supported};
    }
}

// Runs it on a thread, because a kernel may not end. False: time is up.
bool finish(std::thread& thread, const std::atomic<bool>& done, std::atomic<bool>& interrupt,
            const RunArguments& arguments, RunProgress& progress) {
    using Clock = std::chrono::steady_clock;
    const auto began = Clock::now();
    const std::chrono::duration<double> most(arguments.timeout);
    while (!done && (arguments.timeout <= 0 || Clock::now() - began < most)) {
        usleep(500);
        progress.show();
    }
    progress.clear();
    const bool in_time = done;
    interrupt = true;
    for (int i = 0; i < 4000 && !done; ++i)
        usleep(500);
    if (!done) {
        fmt::print(stderr, "lab: a kernel was still running after {:g} s (--timeout gives it more time)\n",
                   arguments.timeout);
        if (arguments.last_words)
            arguments.last_words();
        std::fflush(nullptr);
        _exit(code_timeout); // the device's thread will not come back
    }
    thread.join();
    return in_time;
}

Problem not_described(const fs::path& ptx) {
    std::string next = "describe the launch in a file: --launch FILE.toml (docs/ptx.md)";
    try {
        if (const std::string begin = launch::skeleton(read_file(ptx)); !begin.empty())
            next += "; for example,\n\n" + begin;
    } catch (const sim::ptx::ParseError&) { // the launch will report it
    }
    return {shown(ptx) + " has no host program that would launch its kernels", next};
}

void write_buffers(sim::Device& device, const launch::Launches& launches, const LaunchFile& file, std::FILE* out) {
    for (const launch::Buffer& buffer : launches.buffers) {
        if (buffer.print)
            fmt::print(out, "{} = {}{}\n", buffer.name, launch::first_elements(device, buffer),
                       buffer.print < buffer.count ? " …" : "");
        if (buffer.save.empty())
            continue;
        const auto bytes = device.peek(buffer.address, buffer.count * launch::bytes_of(buffer.type));
        const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        write_file(file.beside(buffer.save),
                   buffer.save.ends_with(".npy") ? launch::npy(buffer.type, text) : std::string(text));
    }
}

// Prints mismatches with the expected contents. Returns the exit code.
int judge(const std::vector<launch::Compared>& compared, bool quiet) {
    int code = 0;
    for (const launch::Compared& one : compared) {
        if (!one.wrong)
            continue;
        code = 1;
        if (!quiet)
            fmt::print(stderr, "lab: {}[{}] is {}, and {} was expected; {} of {} elements are wrong\n", one.buffer,
                       one.index, one.found, one.expected, one.wrong, one.of);
    }
    return code;
}

Outcome run_once(const fs::path& ptx, const LaunchFile& file, const RunArguments& arguments, const OneRun& one,
                 Suppressions* suppressions) {
    std::atomic<bool> done = false, interrupt = false;
    std::FILE* const out = arguments.stdout_is_ours ? stderr : stdout;
    sim::machine::Options options = one.options;
    options.interrupt = &interrupt;
    options.output = [&](std::string_view text) {
        if (!one.quiet)
            fmt::print(out, "{}", text);
    };
    sim::Device device(options);
    Launched launched;
    std::exception_ptr problem;
    std::thread thread([&] {
        try {
            launched = carry_out(device, ptx, file);
        } catch (...) {
            problem = std::current_exception();
        }
        done = true;
    });
    const bool in_time = finish(thread, done, interrupt, arguments, one.progress);
    if (problem)
        std::rethrow_exception(problem);
    const sim::machine::Outcome& lost = launched.outcome;
    if (!in_time) {
        fmt::print(stderr, "lab: a kernel was still running after {:g} s (--timeout gives it more time): {}\n",
                   arguments.timeout, lost.message);
        return outcome_of(device, lost, code_timeout, arguments, suppressions);
    }
    if (!lost) {
        if (!one.quiet)
            fmt::print(stderr, "lab: {}\n", lost.message);
        Outcome outcome = outcome_of(device, lost, 1, arguments, suppressions);
        if (arguments.keep)
            arguments.keep({}, outcome, one.options.schedule);
        return outcome;
    }
    if (!one.quiet)
        write_buffers(device, launched.launches, file, out);
    const auto compared = launch::compare(device, launched.launches);
    Outcome outcome = outcome_of(device, lost, judge(compared, one.quiet), arguments, suppressions);
    outcome.compared = compared;
    if (arguments.keep)
        arguments.keep({}, outcome, one.options.schedule);
    return outcome;
}

} // namespace
} // namespace run_launch

Subject launches(const fs::path& ptx, const RunArguments& arguments) {
    if (arguments.launch.empty())
        throw run_launch::not_described(ptx);
    const auto file = std::make_shared<const LaunchFile>(arguments.launch);
    return [ptx, file](const RunArguments& now, const OneRun& one, Suppressions* suppressions) {
        return run_launch::run_once(ptx, *file, now, one, suppressions);
    };
}

} // namespace runner
