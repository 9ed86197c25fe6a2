#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/files.h"
#include "base/problem.h"
#include "judge/compile.h"
#include "judge/gpu.h"
#include "runner/command.h"
#include "runner/run_program.h"
#include "runner/sanitize.h"
#include "runner/show_trace.h"
#include "sim/report/causes.h"
#include "sim/report/json.h"
#include "sim/timeline/recorder.h"

namespace runner::run_command {

using base::Problem, base::read_file, base::shown, base::write_file;
using judge::Compiled, judge::Compiler, judge::FoundGpu, judge::Toolchain, judge::find_gpu, judge::machine_code,
    judge::need_gpu;
namespace {

using nlohmann::json;
using sim::hazards::Finding;

bool is_elf(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    char magic[4] = {};
    in.read(magic, 4);
    return std::string_view(magic, 4) == "\177ELF";
}

// A program that brought NVIDIA's runtime along would not find our device.
void refuse_static_runtime(const fs::path& file) {
    const std::string bytes = read_file(file);
    if (bytes.find("libcudart.so") == std::string::npos && bytes.find(".nv_fatbin") != std::string::npos)
        throw Problem{shown(file) + " contains NVIDIA's CUDA runtime, so it would not reach the simulated device",
                      "build it with nvcc -cudart shared", code_not_supported};
}

// Whether to use the GPU: --device, or else whether there is one; it has no schedules and finds no hazards.
bool on_gpu(const RunArguments& arguments, bool options_of_the_simulated) {
    if (arguments.sanitize) { // ours first, then theirs
        need_gpu();
        return false;
    }
    if (arguments.device == "gpu") {
        if (options_of_the_simulated)
            throw Problem{
                "--schedule, --schedules, --seed, --sms, --strict, --json, --trace and --block are for the simulated device",
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
    if (!compiled) {
        fmt::print(stderr, "{}", compiled.errors);
        throw Problem{shown(file) + " does not compile", ""};
    }
    fmt::print(stderr, "{}", compiled.warnings);
    return compiled.program;
}

// What is neither a finding nor the program's own output.
void show_rest(const Outcome& outcome, const std::string& again, const std::string& after_dashes) {
    if (outcome.failed_under && outcome.code != code_timeout && outcome.code != code_not_supported)
        fmt::print(stderr, "lab: under another schedule the program exits with {}: {} --schedule {} --seed {}{}\n",
                   outcome.code, again, sim::hazards::name(outcome.failed_under->completion),
                   outcome.failed_under->seed, after_dashes);
    if (outcome.verdict() == "incomplete" || outcome.verdict() == "hazard")
        for (const auto& [what, next] : outcome.gaps)
            fmt::print(stderr, "lab: incomplete: {}\n     next: {}\n", what, next);
    if (outcome.run < outcome.of && outcome.verdict() == "passed")
        fmt::print(stderr, "lab: {} of {} schedules run, to save time (--schedules {} runs all of them)\n", outcome.run,
                   outcome.of, outcome.of);
}

void show(const Outcome& outcome, const RunArguments& arguments) {
    const sim::hazards::ReportStyle style{isatty(2) && !std::getenv("NO_COLOR"),
                                          fs::current_path(),
                                          again(arguments),
                                          after_dashes(arguments),
                                          width_of(2),
                                          "--all"};
    if (arguments.all)
        for (const Finding& finding : outcome.findings)
            fmt::print(stderr, "\n{}", text(finding, style));
    else
        for (const auto& told : sim::hazards::causes_first(outcome.findings))
            fmt::print(stderr, "\n{}", text(told, style));
    show_rest(outcome, again(arguments), after_dashes(arguments));
    if (arguments.json.empty())
        return;
    const json told{{"verdict", outcome.verdict()},
                    {"findings", sim::hazards::to_json(outcome.findings)},
                    {"incomplete", sim::hazards::to_json(outcome.gaps)},
                    {"executed", sim::hazards::to_json(outcome.executed)},
                    {"schedules", {{"run", outcome.run}, {"of", outcome.of}}},
                    {"exit_code", outcome.code}};
    const std::string text = told.dump(2) + "\n";
    if (arguments.json == "-")
        std::fputs(text.c_str(), stdout);
    else
        write_file(arguments.json, text);
}

void run_run(Context& context, const RunArguments& arguments, bool options_of_the_simulated) {
    const fs::path file = arguments.file;
    if (!fs::exists(file))
        throw Problem{"there is no file " + arguments.file, "check the path"};
    if (!fs::is_regular_file(file))
        throw Problem{arguments.file + " is not a file",
                      "give a .cu file, or a program built with nvcc -cudart shared"};
    const bool gpu = on_gpu(arguments, options_of_the_simulated);
    const auto began = std::chrono::steady_clock::now();
    const Compiler compiler(context.paths);
    const fs::path program = program_of(compiler, arguments, gpu);
    if (gpu) {
        context.exit_code = run_on_gpu(program, arguments, compiler.toolchain());
        return;
    }
    sim::timeline::Recording recording;
    recording.block = arguments.block;
    const bool traced = !arguments.trace.empty();
    const Outcome outcome = run_simulated(program, arguments, compiler.environment(), traced ? &recording : nullptr);
    show(outcome, arguments);
    if (arguments.sanitize)
        fmt::print(stderr, "\n{}", text(sanitize(compiler.toolchain(), command(program, arguments))));
    if (traced)
        show_trace(stderr, shown(file), recording, arguments.trace);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    if (isatty(2) && seconds > 1)
        fmt::print(stderr, "lab: {} of {} schedules, {:.1f} s\n", outcome.run, outcome.of, seconds);
    context.exit_code = outcome.exit_code();
}

void add(CLI::App& command, Context& context) {
    auto arguments = std::make_shared<RunArguments>();
    command.add_option("FILE", arguments->file, "A .cu file, or a program built with nvcc -cudart shared")->required();
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
        .add_option("--trace", arguments->trace,
                    "Draw one block's timeline; write it to OUT.html and, for Perfetto, to OUT.json")
        ->type_name("OUT");
    command.add_option("--block", arguments->block, "Which block --trace draws")->capture_default_str();
    command.footer("Arguments after -- are the program's own. The exit code is 4 when the device cannot run the\n"
                   "program, 3 when an error (or, with --strict, a warning) was found, 124 when time ran out, 5 when\n"
                   "there is no GPU for --device gpu, else the program's own, but 6 instead of 0 when not everything\n"
                   "was judged.");
    command.callback([&context, arguments, &command] {
        arguments->arguments = context.rest;
        bool simulated = false;
        for (const char* option :
             {"--schedule", "--schedules", "--seed", "--sms", "--strict", "--json", "--trace", "--block"})
            simulated = simulated || command.count(option);
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
