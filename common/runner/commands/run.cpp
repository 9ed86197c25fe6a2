#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/files.h"
#include "base/problem.h"
#include "judge/cache.h"
#include "judge/compile.h"
#include "judge/gpu.h"
#include "runner/command.h"
#include "runner/formats/format.h"
#include "runner/invocation.h"
#include "runner/run_program.h"
#include "runner/sanitize.h"
#include "runner/show_steps.h"
#include "runner/show_trace.h"
#include "sim/report/json.h"
#include "sim/timeline/recorder.h"

namespace runner::run_command {

using base::Problem, base::read_file, base::shown, base::write_file;
using formats::Wanted, formats::report, formats::remarks, formats::wanted;
using judge::Compiled, judge::Compiler, judge::find_gpu, judge::FoundGpu, judge::machine_code, judge::need_gpu,
    judge::Toolchain;
namespace {

using nlohmann::json;
using sim::hazards::Finding;

struct NotCompiled : Problem {
    std::string errors;
};

bool is_elf(const fs::path& file) {
    return read_file(file).starts_with("\177ELF");
}

// A program that brought NVIDIA's runtime along would not find our device.
void refuse_static_runtime(const fs::path& file) {
    const std::string bytes = read_file(file);
    if (bytes.find("libcudart.so") == std::string::npos && bytes.find(".nv_fatbin") != std::string::npos)
        throw Problem{shown(file) + " contains NVIDIA's CUDA runtime, so it would not reach the simulated device",
                      "build it with nvcc -cudart shared", code_not_supported};
}

constexpr const char* of_the_simulated[] = {"--schedule", "--schedules", "--seed",  "--sms",  "--strict", "--json",
                                            "--format",   "--suppress",  "--trace", "--step", "--block",  "--from"};

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
    if (arguments.device == "sim" || options_of_the_simulated)
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

// The command that was given, but for the schedule.
std::string again(const RunArguments& arguments) {
    const RunArguments usual;
    std::string command = "./lab run " + quoted(arguments.file);
    if (arguments.arch != usual.arch)
        command += " --arch " + quoted(arguments.arch);
    if (arguments.sms != usual.sms)
        command += fmt::format(" --sms {}", arguments.sms);
    command += arguments.strict ? " --strict" : "";
    for (const auto& flags : arguments.nvcc)
        command += " --nvcc " + quoted(flags);
    return command;
}

std::string after_dashes(const RunArguments& arguments) {
    std::string text;
    for (const auto& word : arguments.arguments)
        text += (text.empty() ? " -- " : " ") + quoted(word);
    return text;
}

// What there is to run: the file itself, or what nvcc makes of it.
fs::path program_of(const Compiler& compiler, const RunArguments& arguments, bool gpu) {
    const fs::path file = arguments.file, whole = fs::canonical(file);
    if (is_elf(file)) {
        if (!gpu)
            refuse_static_runtime(file);
        return whole;
    }
    StatusLine status(shown(file));
    const Compiled compiled = compiler.program(
        whole, arguments.arch, words(arguments.nvcc), [&](std::string_view what) { status.show(what); },
        arguments.sanitize ? machine_code(need_gpu(), arguments.arch) : "");
    status.clear();
    if (!compiled)
        throw NotCompiled{{shown(file) + " does not compile", ""}, compiled.errors};
    fmt::print(stderr, "{}", compiled.warnings);
    return compiled.program;
}

// What a program says on its way is its own; what goes to stdout for others to read must stand there alone.
std::vector<Wanted> outputs(const RunArguments& arguments, bool& stdout_is_ours) {
    std::vector<Wanted> all;
    std::vector<std::string> files{arguments.json, arguments.trace, arguments.step};
    std::string on_stdout = arguments.json == "-" ? "--json" : "";
    stdout_is_ours = !on_stdout.empty();
    for (const auto& argument : arguments.formats) {
        const Wanted& one = all.emplace_back(wanted(argument));
        files.push_back(one.file);
        if (!one.file.empty() || one.format->live)
            continue;
        const std::string option = fmt::format("--format {}", one.format->name);
        if (!on_stdout.empty())
            throw Problem{fmt::format("{} and {} would both write to stdout", on_stdout, option),
                          fmt::format("{}:FILE writes to a file", option)};
        on_stdout = option;
        stdout_is_ours = one.format->for_programs;
    }
    for (const auto& file : files)
        if (file.ends_with(".cu"))
            throw Problem{fmt::format("would write to {}, which looks like a program", file),
                          "name the file for the results first, then the programs"};
    return all;
}

// Whatever the locale is, and in one piece.
void write_stdout(std::string_view text) {
    std::fflush(stdout);
    for (ssize_t done; !text.empty() && (done = write(1, text.data(), text.size())) > 0;)
        text.remove_prefix(size_t(done));
}

json json_of(const Program& program) {
    json suppressed = json::array();
    for (const auto& [finding, by] : program.outcome.suppressed) {
        json one = sim::hazards::to_json(finding);
        one["suppressed_by"] = {{"line", by->line}, {"reason", by->reason}, {"expires", by->expires}};
        suppressed.push_back(one);
    }
    json told{{"file", program.file},
              {"verdict", program.verdict},
              {"findings", sim::hazards::to_json(program.outcome.findings)},
              {"suppressed", suppressed},
              {"incomplete", sim::hazards::to_json(program.outcome.gaps)},
              {"executed", sim::hazards::to_json(program.outcome.executed)},
              {"schedules", {{"run", program.outcome.run}, {"of", program.outcome.of}}},
              {"exit_code", program.problem.empty() ? program.outcome.code : program.exit_code}};
    if (!program.problem.empty())
        told["problem"] = program.problem;
    return told;
}

void write_results(const Invocation& invocation, const RunArguments& arguments, const std::vector<Wanted>& formats) {
    for (const auto& [format, file] : formats)
        if (!file.empty())
            write_file(file, format->write(invocation));
        else if (!format->live) // those are on stderr anyway
            write_stdout(format->write(invocation));
    if (arguments.json.empty())
        return;
    json remarks = json::array();
    for (const auto& remark : invocation.remarks())
        remarks.push_back({{"line", remark.line},
                           {"severity", sim::hazards::name(invocation.severity(remark))},
                           {"message", remark.text}});
    json all = json::array();
    for (const Program& program : invocation.programs) {
        all.push_back(json_of(program));
        all.back()["suppressions"] = remarks;
    }
    const std::string text =
        (arguments.files.size() == 1 ? all[0] : all).dump(2, ' ', false, json::error_handler_t::replace) + "\n";
    if (arguments.json == "-")
        write_stdout(text);
    else
        write_file(arguments.json, text);
}

void run_simulated_program(const Compiler& compiler, const RunArguments& arguments, Invocation& invocation,
                           Program& program) {
    const auto began = std::chrono::steady_clock::now();
    const fs::path made = program_of(compiler, arguments, false);
    if (invocation.suppressions)
        invocation.suppressions->concerns(
            judge::own_files(arguments.file, judge::include_folders(words(arguments.nvcc))));
    sim::timeline::Recording recording;
    recording.block = arguments.block.value_or(0);
    StepsOfRun steps;
    const bool traced = !arguments.trace.empty(), stepped = !arguments.step.empty();
    program.outcome = run_simulated(made, arguments, compiler.environment(),
                                    {traced ? &recording : nullptr, stepped ? &steps : nullptr},
                                    invocation.suppressions ? &*invocation.suppressions : nullptr);
    program.verdict = program.outcome.verdict();
    program.exit_code = program.outcome.exit_code();
    program.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    fmt::print(stderr, "{}", report(invocation, program, isatty(2) && !std::getenv("NO_COLOR"), width_of(2)));
    if (arguments.sanitize)
        fmt::print(stderr, "\n{}", text(sanitize(compiler.toolchain(), command(made, arguments))));
    if (traced)
        show_trace(stderr, shown(arguments.file), recording, arguments.trace);
    if (stepped)
        show_steps(stderr, shown(arguments.file), steps.recording, steps.findings, arguments.block.value_or(0),
                   arguments.step);
    if (isatty(2) && program.seconds > 1)
        fmt::print(stderr, "lab: {} of {} schedules, {:.1f} s\n", program.outcome.run, program.outcome.of,
                   program.seconds);
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
    if (arguments.files.size() > 1 && !arguments.step.empty())
        throw Problem{"--step goes through one program", "name only one"};
    if (!arguments.trace.empty() && !arguments.step.empty())
        throw Problem{"--trace and --step each record the run", "give one of them, then run it again with the other"};
}

void run_run(Context& context, RunArguments arguments, bool options_of_the_simulated) {
    check_files(arguments);
    const std::vector<Wanted> formats = outputs(arguments, arguments.stdout_is_ours);
    Invocation invocation{.strict = arguments.strict, .all = arguments.all};
    for (const auto& [format, file] : formats)
        invocation.gcc = invocation.gcc || (format->name == "gcc" && file.empty());
    if (!arguments.suppress.empty())
        invocation.suppressions.emplace(arguments.suppress);
    const bool gpu = on_gpu(arguments, options_of_the_simulated);
    const Compiler compiler(context.paths);
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
            const int code = run_on_gpu(program_of(compiler, arguments, true), arguments, compiler.toolchain());
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

void add(CLI::App& command, Context& context) {
    auto arguments = std::make_shared<RunArguments>();
    command
        .add_option("FILE", arguments->files,
                    "A .cu file, or a program built with nvcc -cudart shared; several are run one after the other")
        ->required();
    command
        .add_option("--device", arguments->device,
                    "sim: the simulated device; gpu: the GPU, with NVIDIA's runtime, which is used if there is one")
        ->envname("LAB_DEVICE")
        ->check(CLI::IsMember({"sim", "gpu"}));
    command.add_flag("--strict", arguments->strict,
                     "A warning makes the exit code 3, as an error does; a schedule that is not run makes it 6");
    command.add_flag("--all", arguments->all, "Show every finding in full, also probable consequences of another");
    command.add_flag("--sanitize", arguments->sanitize,
                     "After the simulated device, compute-sanitizer's tools on the GPU");
    command.add_option("--schedule", arguments->schedule, "When asynchronous work completes")
        ->check(CLI::IsMember({"lazy", "eager", "random"}));
    command.add_option("--seed", arguments->seed, "Of the schedule")->capture_default_str();
    command.add_option(
        "--schedules", arguments->schedules,
        "Number of schedules to run; the output of the first is shown. By default a few more than one, if "
        "they are quick and the first finds nothing");
    command.add_option("--arch", arguments->arch, "What to compile for")->capture_default_str();
    command.add_option("--nvcc", arguments->nvcc, "Further flags for nvcc, in one argument")
        ->type_name("FLAGS")
        ->expected(1)
        ->take_all();
    command.add_option("--sms", arguments->sms, "How many SMs the device has")
        ->capture_default_str()
        ->check(CLI::Range(1, 1024));
    command.add_option("--timeout", arguments->timeout, "Time limit for the program, in seconds; 0: no limit")
        ->capture_default_str();
    add_json(command, arguments->json, "The findings");
    command
        .add_option(
            "--format", arguments->formats,
            "Also write the results as text, gcc (for editors), github (annotations), sarif or junit: to stdout, or to a "
            "file (sarif:FILE); may be given several times")
        ->type_name("FORMAT[:FILE]")
        ->expected(1)
        ->take_all();
    command
        .add_option("--suppress", arguments->suppress,
                    "Do not report the findings that this TOML file lists with a reason (docs/ci/README.md)")
        ->type_name("FILE");
    command
        .add_option("--trace", arguments->trace,
                    "Draw one block's timeline; write it to OUT.html and, for Perfetto, to OUT.json")
        ->type_name("OUT");
    command.add_option("--step", arguments->step, "Write a page that steps through one block's execution")
        ->type_name("OUT.html");
    command.add_option("--block", arguments->block, "Which block --trace draws, or --step goes through");
    command.add_option("--from", arguments->from, "The first step that --step shows")->check(CLI::PositiveNumber);
    command.footer("Arguments after -- are the program's own; each of several programs gets them. The exit code is 4\n"
                   "when the device cannot run the program, 3 when an error (or, with --strict, a warning) was found,\n"
                   "124 when time ran out, 5 when there is no GPU for --device gpu, else the program's own, but 6\n"
                   "instead of 0 when not everything was judged. Of several programs, an error counts for most.");
    command.callback([&context, arguments, &command] {
        arguments->arguments = context.rest;
        const bool simulated = std::ranges::any_of(of_the_simulated, [&](auto* one) { return command.count(one) > 0; });
        run_run(context, *arguments, simulated);
    });
}

} // namespace

LAB_COMMAND = {
    .name = "run",
    .help = "Compile any CUDA program and run it on the simulated device or a GPU",
    .add = add,
};

} // namespace runner::run_command
