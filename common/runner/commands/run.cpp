#include "runner/commands/run.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/files.h"
#include "base/problem.h"
#include "compile/compiler.h"
#include "judge/gpu.h"
#include "runner/bench_model.h"
#include "runner/core_file.h"
#include "runner/debugger.h"
#include "runner/formats/format.h"
#include "runner/invocation.h"
#include "runner/needed_target.h"
#include "runner/run_options.h"
#include "runner/run_program.h"
#include "runner/run_results.h"
#include "runner/sanitize.h"
#include "runner/show_steps.h"
#include "runner/show_trace.h"
#include "sim/timeline/recorder.h"

namespace runner::run_command {

using base::Problem, base::read_file, base::shown;
using compile::Compiled, compile::Compiler, judge::find_gpu, judge::FoundGpu, judge::machine_code, judge::need_gpu,
    compile::Toolchain;
using formats::Wanted, formats::report, formats::remarks;
namespace {

struct NotCompiled : Problem {
    std::string errors;
};

bool is_elf(const fs::path& file) {
    return read_file(file).starts_with("\177ELF");
}

// A program linked with NVIDIA's static runtime would not find our device.
void refuse_static_runtime(const fs::path& file) {
    const std::string bytes = read_file(file);
    if (bytes.find("libcudart.so") == std::string::npos && bytes.find(".nv_fatbin") != std::string::npos)
        throw Problem{shown(file) + " contains NVIDIA's CUDA runtime, so it would not reach the simulated device",
                      "build it with nvcc -cudart shared", code_not_supported};
}

bool is_core(const std::string& file) {
    return fs::path(file).extension() == ".core";
}

// Whether to use the GPU: --device, or else whether there is one; it has no schedules and finds no hazards.
bool on_gpu(const RunArguments& arguments, bool options_of_the_simulated) {
    if (arguments.sanitize) { // ours first, then theirs
        need_gpu();
        return false;
    }
    if (arguments.device == "gpu") {
        if (options_of_the_simulated)
            throw Problem{fmt::format("{} are for the simulated device", fmt::join(of_the_simulated, ", ")),
                          "leave them out, or use --device sim"};
        need_gpu();
        return true;
    }
    if (arguments.device == "sim" || options_of_the_simulated || std::ranges::any_of(arguments.files, is_core))
        return false;
    const FoundGpu found = find_gpu();
    if (found.info)
        fmt::print(stderr, "lab: on the {}, which names no hazards (--device sim does)\n", found.info->name);
    return found.info.has_value();
}

std::vector<std::string> words(const std::vector<std::string>& texts) {
    std::vector<std::string> all;
    for (const auto& text : texts) {
        std::istringstream in(text);
        for (std::string word; in >> word;)
            all.push_back(word);
    }
    return all;
}

std::string quoted(const std::string& word) {
    const bool plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
        return std::isalnum(c) || std::string_view("_-+=./,:@%").find(char(c)) != std::string_view::npos;
    });
    std::string text;
    for (const char c : word)
        text += c == '\'' ? "'\\''" : std::string(1, c);
    return plain ? word : "'" + text + "'";
}

/// The box of a program that --box does not trust: it reads itself and the system's libraries, and nothing else.
isolation::Box box_of(const Compiler& compiler, const Compiled& compiled) {
    isolation::Box box = compiler.program_box(compiled);
    std::erase(box.readable, fs::path("/"));
    box.own_environment = true;
    return box;
}

// The command that was given, but for the schedule.
std::string again(const RunArguments& arguments) {
    const RunArguments usual;
    std::string command =
        std::string(command_name()) + " run" + (arguments.command ? "" : " " + quoted(arguments.file));
    if (arguments.arch != usual.arch)
        command += " --arch " + quoted(arguments.arch);
    if (arguments.sms != usual.sms)
        command += fmt::format(" --sms {}", arguments.sms);
    if (!arguments.launch.empty())
        command += " --launch " + quoted(arguments.launch);
    command += arguments.strict ? " --strict" : "";
    for (const auto& flags : arguments.nvcc)
        command += " --nvcc " + quoted(flags);
    return command;
}

std::string after_dashes(const RunArguments& arguments) {
    std::string text = arguments.command ? " -- " + quoted(arguments.file) : "";
    for (const auto& word : arguments.arguments)
        text += (text.empty() ? " -- " : " ") + quoted(word);
    return text;
}

Compiled try_to_compile(const Compiler& compiler, const RunArguments& arguments, const fs::path& file) {
    StatusLine status(shown(arguments.file));
    Compiled compiled = compiler.program(
        file, arguments.arch, words(arguments.nvcc), [&](std::string_view what) { status.show(what); },
        arguments.sanitize ? machine_code(need_gpu(), arguments.arch) : "");
    status.clear();
    return compiled;
}

// Compiles the file. Changes arguments.arch if --arch is not given and the program needs another one.
Compiled compile(const Compiler& compiler, RunArguments& arguments, bool gpu, const fs::path& file) {
    Compiled compiled = try_to_compile(compiler, arguments, file);
    if (!gpu && !arguments.arch_given)
        if (const auto needed =
                compiled ? needed_target(compiled.program) : target_that_ptxas_misses(compiled.errors)) {
            RunArguments other = arguments;
            other.arch = needed->arch;
            if (Compiled again = try_to_compile(compiler, other, file); again || compiled) {
                fmt::print(stderr, "lab: compiled with --arch {}, which {} needs\n", needed->arch, needed->instruction);
                arguments.arch = needed->arch;
                compiled = std::move(again);
            }
        }
    if (!compiled)
        throw NotCompiled{{shown(arguments.file) + " does not compile",
                           compiled.out_of_time ? "give the compiler more time with --compile-timeout SECONDS" : ""},
                          compiled.errors};
    return compiled;
}

// The program to run: the file itself, or the result of compiling it.
Compiled program_of(const Compiler& compiler, RunArguments& arguments, bool gpu) {
    Compiled given;
    const fs::path file = given.program = arguments.file;
    if (arguments.command)
        return given;
    const fs::path whole = fs::canonical(file);
    if (is_elf(file)) {
        if (!gpu)
            refuse_static_runtime(file);
        given.program = whole;
        return given;
    }
    Compiled compiled = compile(compiler, arguments, gpu, whole);
    fmt::print(stderr, "{}", compiled.warnings);
    compiled.own_files.insert(whole);
    return compiled;
}

void run_simulated_program(const Compiler& compiler, RunArguments arguments, Invocation& invocation, Program& program) {
    const auto began = std::chrono::steady_clock::now();
    const bool ptx = fs::path(arguments.file).extension() == ".ptx", core = is_core(arguments.file);
    if (ptx && arguments.sanitize)
        throw Problem{"--sanitize runs a program on the GPU, and " + shown(arguments.file) + " is none",
                      "leave it out"};
    const Compiled compiled = ptx || core ? Compiled{} : program_of(compiler, arguments, false);
    const fs::path made = ptx || core ? fs::path(arguments.file) : compiled.program;
    KeptRun kept;
    if (!arguments.core.empty())
        arguments.keep = [&](const auto& run, const Outcome& outcome, const auto& schedule) {
            kept.take(run, outcome, schedule);
        };
    if (arguments.boxed && !ptx && !core)
        arguments.box = box_of(compiler, compiled);
    const Subject subject = core  ? repeated(made, arguments)
                            : ptx ? launches(made, arguments)
                                  : runner::program(made, compiler.environment());
    if (invocation.suppressions)
        invocation.suppressions->concerns(compiled.own_files.empty() ? std::set{fs::weakly_canonical(arguments.file)}
                                                                     : compiled.own_files);
    std::optional<Debugger> debugger;
    if (!arguments.stop.empty()) {
        debugger.emplace(arguments.stop, arguments.condition, stdin, stderr);
        arguments.schedules = std::max<size_t>(arguments.schedules, 1);
        arguments.timeout = 0; // it waits for people
    }
    sim::timeline::Recording recording;
    recording.block = arguments.block.value_or(0);
    StepsOfRun steps;
    const bool traced = !arguments.trace.empty(), stepped = !arguments.step.empty();
    program.outcome = run_simulated(
        subject, arguments,
        {traced ? &recording : nullptr, stepped ? &steps : nullptr, debugger ? debugger->listener() : Listening()},
        invocation.suppressions ? &*invocation.suppressions : nullptr);
    if (arguments.box) // in its box, the program cannot look for its lines
        compiler.name_host_lines(compiled, fs::canonical(arguments.file), program.outcome.findings);
    program.verdict = program.outcome.verdict();
    program.exit_code = program.outcome.exit_code();
    program.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    fmt::print(stderr, "{}", report(invocation, program, isatty(2) && !std::getenv("NO_COLOR"), width_of(2)));
    if (const std::string why = debugger ? debugger->never() : ""; !why.empty())
        fmt::print(stderr, "lab: --break {} has not stopped: {}\n", arguments.stop, why);
    if (!arguments.core.empty())
        fmt::print(stderr, "{}", kept.write(arguments, program.outcome, compiled.own_files));
    if (arguments.sanitize)
        fmt::print(stderr, "\n{}", text(sanitize(compiler.toolchain(), command(made, arguments))));
    if (traced) {
        show_trace(stderr, shown(arguments.file), recording, arguments.trace, arguments.timing->model);
        if (const std::string remark = remark_on(*arguments.timing, arguments.arch); !remark.empty())
            fmt::print(stderr, "{}\n", remark);
    }
    if (stepped)
        show_steps(stderr, shown(arguments.file), steps.recording, steps.findings, arguments.block.value_or(0),
                   arguments.step);
    if (isatty(2) && program.seconds > 1)
        fmt::print(stderr, "lab: {} of {} schedules, {:.1f} s, {} thread-instructions\n", program.outcome.run,
                   program.outcome.of, program.seconds, amount(program.outcome.thread_instructions));
}

// One program that does not compile does not keep the others from being run.
void add_program(const Compiler& compiler, const RunArguments& arguments, Invocation& invocation) {
    Program& program = invocation.programs.emplace_back();
    program.file = arguments.file;
    program.again = again(arguments);
    program.again_end = after_dashes(arguments);
    program.verdict = "timeout"; // should a kernel end this process
    program.outcome.code = program.exit_code = code_timeout;
    const auto not_run = [&](const Problem& problem, const char* verdict, std::string details) {
        program.verdict = verdict;
        program.exit_code = problem.code;
        program.problem = problem.what;
        program.next = problem.next;
        program.details = std::move(details);
        fmt::print(stderr, "{}", report(invocation, program, false, 0));
    };
    try {
        run_simulated_program(compiler, arguments, invocation, program);
    } catch (const NotCompiled& problem) {
        not_run(problem, "compile-error", problem.errors);
    } catch (const Problem& problem) {
        if (program.outcome.run) { // its results are there, and what was to follow is not
            fmt::print(stderr, "lab: error: {}\n     next: {}\n", problem.what, problem.next);
            program.exit_code = program.exit_code ? program.exit_code : problem.code;
        } else
            not_run(problem, problem.code == code_not_supported ? "not-supported" : "not-run", "");
    }
    if (arguments.files.size() > 1)
        fmt::print(stderr, "lab: {}: {}\n", shown(program.file), program.verdict);
}

// Where the shell would find it.
std::string in_path(const std::string& name) {
    if (name.find('/') != name.npos)
        return name;
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (access((fs::path(folder) / name).c_str(), X_OK) == 0)
            return fs::path(folder) / name;
    throw Problem{fmt::format("there is no program {} in PATH", name), "give its path"};
}

// "./lab run -- python3 script.py" names no file to compile.
void take_command(RunArguments& arguments) {
    if (!arguments.files.empty())
        return;
    if (arguments.arguments.empty())
        throw Problem{"FILE is required", "./lab run --help"};
    arguments.command = true;
    arguments.files = {in_path(arguments.arguments[0])};
    arguments.arguments.erase(arguments.arguments.begin());
}

void check_files(const RunArguments& arguments) {
    for (const auto& file : arguments.files) {
        if (!fs::exists(file))
            throw Problem{"there is no file " + file,
                          "check the path; what is meant for the program itself goes behind --"};
        if (!fs::is_regular_file(file))
            throw Problem{file + " is not a file", "give a .cu file, or a program built with nvcc -cudart shared"};
    }
    if (arguments.files.size() > 1 && !arguments.trace.empty())
        throw Problem{"--trace draws one program", "name only one"};
    if (arguments.files.size() > 1 && (!arguments.core.empty() || std::ranges::any_of(arguments.files, is_core)))
        throw Problem{"a core file keeps the run of one program", "name only one"};
    if (!arguments.core.empty() && !is_core(arguments.core))
        throw Problem{"the name of a core file ends in .core, and " + arguments.core + " does not", "add it"};
    if (!arguments.core.empty() && is_core(arguments.files[0]))
        throw Problem{arguments.files[0] + " is such a run already", "copy it"};
    if (arguments.files.size() > 1 && !arguments.step.empty())
        throw Problem{"--step goes through one program", "name only one"};
    if (!arguments.stop.empty() && !(arguments.trace.empty() && arguments.step.empty()))
        throw Problem{"--break stops the run that --trace or --step would record", "give one of them"};
    if (!arguments.trace.empty() && !arguments.step.empty())
        throw Problem{"--trace and --step each record the run", "give one of them, then run it again with the other"};
}

} // namespace
} // namespace runner::run_command

namespace runner {

void run_programs(Context& context, RunArguments arguments, bool simulated) {
    using namespace run_command;
    take_command(arguments);
    check_files(arguments);
    const std::vector<Wanted> formats = outputs(arguments, arguments.stdout_is_ours);
    Invocation invocation{.strict = arguments.strict, .all = arguments.all};
    for (const auto& [format, file] : formats)
        invocation.gcc = invocation.gcc || (format->name == "gcc" && file.empty());
    if (!arguments.suppress.empty())
        invocation.suppressions.emplace(arguments.suppress);
    const bool gpu = on_gpu(arguments, simulated);
    if (const std::string& why = isolation::why_not(isolation::Level::landlock); arguments.boxed && !why.empty())
        throw Problem{"there is no box for the program on this machine: " + why,
                      "run it in a container, or leave out --box if you trust the program"};
    arguments.timing = std::make_shared<const NamedModel>(model_named(context.paths, arguments.model));
    Compiler compiler(context.paths, arguments.boxed ? compile::box_for_own_files() : isolation::Box{});
    compiler.limit(std::chrono::seconds(arguments.compile_timeout));
    invocation.began = std::chrono::system_clock::now();
    const auto finish = [&] {
        invocation.ended = std::chrono::system_clock::now();
        write_results(invocation, arguments, formats);
    };
    arguments.last_words = finish;
    for (const auto& file : arguments.files) {
        arguments.file = file;
        if (!gpu) {
            add_program(compiler, arguments, invocation);
            continue;
        }
        try {
            const int code = run_on_gpu(program_of(compiler, arguments, true).program, arguments, compiler.toolchain());
            context.exit_code = context.exit_code ? context.exit_code : code;
        } catch (const NotCompiled& problem) {
            fmt::print(stderr, "{}", problem.errors);
            throw;
        }
    }
    if (gpu)
        return;
    fmt::print(stderr, "{}", remarks(invocation));
    finish();
    context.exit_code = invocation.exit_code();
}

namespace run_command {
namespace {

void add(CLI::App& command, Context& context) {
    auto arguments = std::make_shared<RunArguments>();
    add_run_options(command, *arguments);
    command.footer("Arguments after -- are the program's own; each of several programs gets them. The exit code is 4\n"
                   "when the device cannot run the program, 3 when an error (or, with --strict, a warning) was found,\n"
                   "124 when time ran out, 5 when there is no GPU for --device gpu, else the program's own, but 6\n"
                   "instead of 0 when not everything was judged. Of several programs, an error counts for most.");
    command.callback([&context, arguments, &command] {
        arguments->arguments = context.rest;
        arguments->arch_given = command.count("--arch") > 0;
        const bool simulated = std::ranges::any_of(of_the_simulated, [&](auto* one) { return command.count(one) > 0; });
        run_programs(context, *arguments, simulated);
    });
}

} // namespace

LAB_COMMAND = {
    .name = "run",
    .help = "Compile any CUDA program and run it on the simulated device or a GPU",
    .add = add,
};

} // namespace run_command
} // namespace runner
