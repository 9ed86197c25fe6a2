#include "runner/commands/step.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/files.h"
#include "base/problem.h"
#include "check/suite.h"
#include "compile/compiler.h"
#include "runner/commands/run.h"
#include "runner/names.h"
#include "runner/show_steps.h"
#include "sim/stepper/moments.h"
#include "sim/stepper/recorder.h"

namespace runner {

using base::Problem, base::shown;
using compile::Compiled, compile::Compiler;
using sim::hazards::Finding;
using sim::stepper::Recording;

namespace {

/// A case that was run and recorded.
struct Recorded {
    Recording recording;
    std::string name; ///< of the case; empty: none was run
    std::vector<Finding> findings;

    const Finding* shows() const { return sim::stepper::worst(findings); }
};

/// Its recordings of a lab's cases.
class Cases {
  public:
    Cases(const check::ListedLab& lab, check::RunConfig config, const StepArguments& arguments)
        : lab_(lab), config_(std::move(config)), arguments_(arguments) {}

    Recorded run(size_t index, const std::string& name, const sim::stepper::Subject& subject) {
        Recorded made{.recording = {}, .name = name, .findings = {}};
        config_.data_seed = arguments_.seed + 17 * index;
        config_.listener = sim::stepper::recorder(
            made.recording, {.block = subject.block, .first = arguments_.from - 1, .also = subject.also});
        check::RunResult result = check::run_case(lab_.name, index, config_);
        if (result.stuck) {
            fmt::print(stderr, "lab: error: a kernel does not end\n     next: ./lab check {}\n", number_of(lab_.name));
            std::fflush(nullptr);
            _exit(1); // the device's thread will not come back
        }
        made.findings = std::move(result.findings);
        return made;
    }

    /// The first case with a finding; if there is none, the one with the most steps that are still easy to go through.
    Recorded instructive(StatusLine& status) {
        Recorded best;
        const auto cases = check::cases(lab_.name);
        const auto named = check::named(cases, arguments_.test);
        for (size_t i = 0; i < cases.size(); ++i) {
            if (!named[i])
                continue;
            status.show(cases[i].name);
            Recorded made = run(i, cases[i].name, {arguments_.block.value_or(0), std::nullopt});
            const Finding* finding = made.shows();
            if (finding && !arguments_.block)
                if (const auto subject = sim::stepper::other_blocks(made.recording, *finding))
                    made = run(i, cases[i].name, *subject);
            if (made.shows())
                return made;
            if (best.name.empty() || worth(made.recording) > worth(best.recording))
                best = std::move(made);
        }
        return best;
    }

  private:
    static std::pair<bool, int64_t> worth(const Recording& recording) {
        constexpr int64_t easy = 600;
        const auto steps = int64_t(recording.steps.size());
        return {recording.copies, steps <= easy ? steps : easy - steps};
    }

    const check::ListedLab& lab_;
    check::RunConfig config_;
    const StepArguments& arguments_;
};

} // namespace

void run_step(Context& context, const StepArguments& arguments) {
    const auto& lab = find_lab(arguments.lab);
    const fs::path source = !arguments.file.empty() ? fs::path(arguments.file)
                            : arguments.solutions   ? context.paths.solution(lab.name)
                                                    : context.paths.source(lab.name);
    if (!fs::is_regular_file(source))
        throw Problem{"there is no file " + shown(source), "check the path"};
    StatusLine status(number_of(lab.name));
    const Compiler compiler(context.paths);
    const Compiled compiled =
        compiler.lab(fs::canonical(source), lab.lab->targets, [&](std::string_view what) { status.show(what); });
    if (!compiled)
        throw Problem{shown(source) + " does not compile:\n" + compiled.errors, "correct it first", 1};
    check::RunConfig config = compiler.run_config(compiled, target_of(lab, arguments.arch));
    config.sms = lab.lab->sms;
    for (const auto& schedule : check::schedules(4, arguments.seed))
        if (sim::hazards::name(schedule.completion) == arguments.schedule) {
            config.schedule = schedule;
            break;
        }
    const Recorded made = Cases(lab, config, arguments).instructive(status);
    status.clear();
    if (made.name.empty())
        throw Problem{fmt::format("the lab has no case whose name contains '{}'", arguments.test),
                      "the cases: ./lab check " + number_of(lab.name)};
    std::string file(lab.name);
    std::ranges::replace(file, '/', '_');
    const fs::path out =
        arguments.out.empty() ? context.paths.state / "step" / (file + ".html") : fs::path(arguments.out);
    const std::string title =
        fmt::format("{}, case \"{}\", {}", shown(fs::canonical(source)), made.name, config.target.arch());
    show_steps(stdout, title, made.recording, made.findings, arguments.block.value_or(0), out);
}

namespace step_command {
namespace {

/// The page of the run that a core file keeps. It has its own program and schedule, so it takes fewer options.
void step_core(Context& context, const StepArguments& arguments, const CLI::App& command) {
    for (const char* option : {"CASE", "--solutions", "--file", "--schedule", "--seed", "--arch"})
        if (command.count(option))
            throw Problem{fmt::format("{} is for a lab, and {} keeps one run", option, arguments.lab), "leave it out"};
    RunArguments run;
    run.files = {arguments.lab};
    run.step = arguments.out.empty()
                   ? context.paths.state / "step" / (fs::path(arguments.lab).stem().string() + ".html")
                   : fs::path(arguments.out);
    run.block = arguments.block;
    run.from = arguments.from;
    run_programs(context, run, true);
    if (context.exit_code == code_hazard) // the finding is what the page is about
        context.exit_code = 0;
}

void add(CLI::App& command, Context& context) {
    auto arguments = std::make_shared<StepArguments>();
    command.add_option("LAB", arguments->lab, std::string(which_lab) + ", or a file of ./lab run --core")->required();
    command.add_option("CASE", arguments->test,
                       "Part of the name of the case to run; without it, the first in which something is found, or "
                       "else a telling one");
    command.add_flag("--solutions", arguments->solutions, "The reference solution instead of your file");
    command.add_option("--file", arguments->file, "Another file instead of labs/…/kernel.cu")->type_name("PATH");
    command.add_option("--block", arguments->block,
                       "Which block of the grid, with the others of its cluster; without it, one with a finding, or "
                       "else block 0");
    command.add_option("--from", arguments->from, "The first step to show; the page holds 6,000")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command.add_option("--schedule", arguments->schedule, "When asynchronous work completes")
        ->check(CLI::IsMember({"lazy", "eager", "random"}))
        ->capture_default_str();
    command.add_option("--seed", arguments->seed, "Of the inputs and the schedule")->capture_default_str();
    command.add_option("--arch", arguments->arch, "Which of the lab's targets; without it, the newest");
    command
        .add_option("--out", arguments->out, "Where to write the page; FILE.json gets the recording behind the page")
        ->type_name("FILE");
    command.callback([&context, arguments, &command] {
        if (fs::path(arguments->lab).extension() == ".core")
            step_core(context, *arguments, command);
        else
            run_step(context, *arguments);
    });
}

} // namespace

LAB_COMMAND = {
    .name = "step",
    .help = "Step through one block's execution on a page: warps, barriers, copies, memory",
    .add = add,
    .completion = Completion::labs,
};

} // namespace step_command
} // namespace runner
