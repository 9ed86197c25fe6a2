#include "runner/commands/check.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/problem.h"
#include "judge/checker.h"
#include "runner/commands/step.h"
#include "runner/estimate.h"
#include "runner/hunt_question.h"
#include "runner/language.h"
#include "runner/names.h"
#include "runner/progress.h"
#include "runner/report.h"
#include "runner/sanitize.h"
#include "runner/skips.h"
#include "runner/translation.h"
#include "sim/report/finding.h"

namespace runner {

using base::Problem, base::read_file, base::shown, base::write_file;
using judge::CheckOptions, compile::Compiler, judge::LabReport, judge::Where, judge::Workers, judge::check_lab,
    judge::find_gpu, judge::need_gpu;
namespace {

std::vector<const check::ListedLab*> chosen(const CheckArguments& arguments, const Progress& progress) {
    std::vector<const check::ListedLab*> labs;
    for (const auto& name : arguments.labs)
        labs.push_back(&find_lab(name));
    if (!labs.empty())
        return labs;
    if (!arguments.file.empty())
        throw Problem{"--file needs the lab that the file is for", "./lab check 03 --file " + arguments.file};
    for (const auto& lab : check::labs())
        if (arguments.all || arguments.solutions)
            labs.push_back(&lab);
    if (!labs.empty())
        return labs;
    if (const auto* lab = next_lab(progress))
        return {lab};
    throw Problem{"you have passed all labs", "name the one to check, or use --all"};
}

void remember(Progress& progress, const LabReport& report) {
    LabProgress& lab = progress[report.lab];
    lab.tried = true;
    lab.points = std::max(lab.points, report.points);
    lab.possible = report.possible;
    lab.passed = lab.passed || report.passed();
    progress.save();
}

// After an exercise: the next of its kind, or the lab that they lead to.
std::string after_exercise(std::string_view name, const Progress& progress) {
    const std::string_view lab = lab_of(name);
    const bool drill = name.find("/drills/") != name.npos;
    if (const auto* next = next_exercise(progress, exercises_of(lab, drill ? "drills" : "hunts"), name))
        return fmt::format("./lab {} {}", drill ? "drill" : "hunt", number_of(next->name));
    if (drill && next_exercise(progress, exercises_of(lab, "hunts")))
        return said("./lab hunt {}     or the lab itself: ./lab check {}", number_of(lab), number_of(lab));
    return fmt::format("./lab {} {}", progress.get(lab).passed ? "quiz" : "check", number_of(lab));
}

std::string next_command(const Context& context, const LabReport& report, const Progress& progress,
                         const std::string& again) {
    const std::string number = number_of(report.lab);
    if (!report.passed()) {
        if (!report.compile_errors.empty() || report.incomplete())
            return again;
        return fmt::format("./lab hint {}", number);
    }
    if (lab_of(report.lab) != report.lab)
        return after_exercise(report.lab, progress);
    if (const auto* lab = next_lab(progress, report.lab))
        return said("lab {}: read {}     or play with this one: ./lab break {}", number_of(lab->name),
                    shown(context.paths.lab(lab->name) / page_of_lab()), number);
    return "./lab break " + number;
}

// Runs compute-sanitizer on the same file; `what` receives its report as text.
nlohmann::json sanitized(const Compiler& compiler, Workers& workers, const check::ListedLab& lab,
                         const fs::path& source, const CheckOptions& options, std::string& what) {
    try {
        const auto reports = sanitize(compiler, workers, lab, source, options.gpu ? *options.gpu : need_gpu(),
                                      4 * options.timeout); // tools are slow
        what = text(reports);
        return to_json(reports);
    } catch (const Problem& problem) {
        what = "compute-sanitizer was not run: " + problem.what + "\n";
        return {{"not_run", problem.what}};
    }
}

CheckOptions options_of(const CheckArguments& arguments) {
    CheckOptions options;
    options.seed = arguments.seed;
    options.repeat_seed = arguments.repeat_seed;
    options.schedules = std::clamp<size_t>(arguments.schedules, 1, 1000);
    options.timeout = std::chrono::milliseconds(static_cast<int64_t>(arguments.timeout * 1000));
    options.strict = arguments.strict;
    options.estimate = true;
    options.only_cases = arguments.only_cases;
    options.stop_at_timeout = true;
    options.stop_at_failure = !arguments.skip.empty() || arguments.until_failure;
    if (!arguments.schedule.empty())
        for (const auto& schedule : check::schedules(4, arguments.seed))
            if (sim::hazards::name(schedule.completion) == arguments.schedule)
                options.only.push_back(schedule);
    if (arguments.seeds) { // one kind of schedule, with many seeds
        const auto kind = options.only.empty() ? check::schedules(3, arguments.seed)[2] : options.only[0];
        options.only.assign(arguments.seeds, kind);
        for (size_t i = 0; i < arguments.seeds; ++i)
            options.only[i].seed += i;
        options.each_schedule = true;
    }
    if (arguments.device == "gpu" || arguments.device == "both") {
        options.gpu = need_gpu();
        options.where = arguments.device == "gpu" ? Where::gpu : Where::both;
    } else if (arguments.device.empty() && options.only.empty() && arguments.skip.empty()) {
        options.gpu = find_gpu().info;
        options.where = options.gpu ? Where::both : Where::simulated;
    }
    return options;
}

/// `./lab check` for one lab after the other.
class Checks {
  public:
    Checks(Context& context, const CheckArguments& arguments, CheckOptions options)
        : context_(context), arguments_(arguments), options_(std::move(options)), progress_(context.paths),
          labs_(chosen(arguments, progress_)),
          // Each that uses the GPU takes half a gigabyte of its memory.
          workers_(arguments.until_failure        ? 1
                   : options_.where == Where::gpu ? 4
                                                  : 0),
          compiler_(context.paths, compile::box_for_own_files()) {}

    void run() {
        for (const auto* lab : labs_) {
            const fs::path source = source_of(*lab);
            if (arguments_.list_skips)
                fmt::print("{}\n", skips(compiler_, *lab, source).dump(2));
            else
                check(*lab, source);
        }
        if (!arguments_.list_skips)
            sum_up();
    }

  private:
    bool own() const { return arguments_.file.empty() && !arguments_.solutions; }
    bool quiet() const { return arguments_.json == "-"; }
    // In a shared installation, any file is the student's own.
    bool counts() const {
        return (own() || (context_.paths.shared() && !arguments_.solutions)) && options_.where != Where::gpu &&
               options_.only_cases.empty();
    }

    fs::path source_of(const check::ListedLab& lab) const {
        const fs::path source = !arguments_.file.empty() ? fs::canonical(arguments_.file)
                                : arguments_.solutions   ? context_.paths.solution(lab.name)
                                                         : working_file(context_.paths, lab.name);
        if (!fs::exists(source))
            throw Problem{"there is no file " + shown(source), own() ? "./lab reset " + number_of(lab.name) : ""};
        if (own() && context_.paths.shared() && source != context_.paths.own_copy(lab.name))
            fmt::print(stderr,
                       "lab: this is the lab as it was published. Make a copy to work on, in {}: ./lab reset {}\n",
                       shown(context_.paths.own_copy(lab.name)), number_of(lab.name));
        return source;
    }

    std::string again(const check::ListedLab& lab) const {
        std::string command = std::string(command_name()) + " check " + number_of(lab.name);
        if (arguments_.solutions)
            command += " --solutions";
        if (!arguments_.file.empty())
            command += " --file " + arguments_.file;
        if (arguments_.strict)
            command += " --strict";
        if (arguments_.device == "sim")
            command += " --device sim";
        if (!arguments_.student.empty())
            command += " --student " + arguments_.student;
        if (!arguments_.only_cases.empty())
            command += " --case \"" + arguments_.only_cases + "\"";
        return command;
    }

    /// The command that draws what the estimate rests on.
    std::string trace(const check::ListedLab& lab) const {
        return fmt::format("{} trace {}{}{} --case \"{}\"", command_name(), number_of(lab.name),
                           arguments_.solutions ? " --solutions" : "",
                           arguments_.file.empty() ? "" : " --file " + arguments_.file, lab.lab->modelled);
    }

    void check(const check::ListedLab& lab, const fs::path& source) {
        if (!arguments_.skip.empty())
            options_.skip = skip_named(lab, arguments_.skip);
        if (!arguments_.student.empty() && !arguments_.solutions)
            options_.constants = check::constants_for(lab.name, arguments_.student);
        StatusLine status(number_of(lab.name));
        const LabReport report =
            check_lab(compiler_, workers_, lab, source, options_, [&](std::string_view what) { status.show(what); });
        status.clear();
        std::string tools;
        nlohmann::json found;
        if (arguments_.sanitize && report.compile_errors.empty())
            found = sanitized(compiler_, workers_, lab, source, options_, tools);
        passed_ += report.passed();
        incomplete_ += report.incomplete();
        seconds_ += report.seconds;
        if (counts())
            remember(progress_, report);
        if (!arguments_.json.empty()) {
            all_.push_back(to_json(report));
            const auto estimate = estimate_of(report);
            all_.back()["model"] = estimate ? to_json(*estimate, lab.lab->modelled) : nlohmann::json();
            if (arguments_.sanitize)
                all_.back()["compute_sanitizer"] = found;
        }
        if (!quiet())
            show(lab, report, tools);
    }

    // Of an exercise, the first report does not say what to change: that comes with the next one, or with --why.
    bool withholds(const check::ListedLab& lab, const LabReport& report) const {
        return lab.is_exercise() && counts() && labs_.size() == 1 && !arguments_.why && !report.passed() &&
               report.compile_errors.empty() && !progress_.get(lab.name).shown;
    }

    void show_report(const check::ListedLab& lab, const LabReport& report) {
        Look look = context_.look();
        look.gcc = arguments_.format == "gcc";
        const bool withheld = withholds(lab, report), hunt = lab.name.find("/hunts/") != lab.name.npos;
        look.remedies = !withheld || hunt;
        look.symptoms = withheld ? hunt : hunt && !arguments_.answer.empty() && report.first_failure();
        fmt::print("{}", text(report, *lab.lab, again(lab), look));
        if (const auto estimate = estimate_of(report))
            fmt::print("{}", text(*estimate, trace(lab), look.width));
        if (look.symptoms) {
            if (!ask_about(report, arguments_.answer, context_.width))
                return;
            fmt::print("{}", what_happened(*report.first_failure(), report, context_.look()));
        }
        if (lab.is_exercise() && counts() && !report.passed() && report.compile_errors.empty())
            progress_[lab.name].shown = true, progress_.save();
        if (withheld && !hunt)
            fmt::print("{}\n",
                       said("What to change is shown with the next check that fails, or now: {} --why", again(lab)));
        if (labs_.size() == 1 && counts())
            fmt::print("{}\n", said("next: {}", look.symptoms ? said("mend the file, then {}", again(lab))
                                                              : next_command(context_, report, progress_, again(lab))));
    }

    void show(const check::ListedLab& lab, const LabReport& report, const std::string& tools) {
        if (labs_.size() > 1 && report.passed())
            fmt::print("✓ {:<26} {}   {:.1f} s\n", lab.name, said("{:>3} of {} points", report.points, report.possible),
                       report.seconds);
        else
            show_report(lab, report);
        if (!report.constants.empty())
            fmt::print("{}\n",
                       said("checked with {}, as drawn for {}", check::text(report.constants), arguments_.student));
        fmt::print("{}", tools);
        if (arguments_.step && report.compile_errors.empty())
            step(lab, report);
        std::fflush(stdout);
    }

    // Through the first case that was reported, under the schedule of the report.
    void step(const check::ListedLab& lab, const LabReport& report) const {
        StepArguments through;
        through.lab = lab.name;
        through.test = arguments_.only_cases;
        through.file = arguments_.file;
        through.solutions = arguments_.solutions;
        through.seed = arguments_.seed;
        for (const auto& item : report.cases)
            if (!item.result.findings.empty()) {
                through.test = item.info.name;
                through.arch = item.target.arch();
                through.schedule = sim::hazards::name(item.schedule.completion);
                break;
            }
        run_step(context_, through);
    }

    void sum_up() {
        if (labs_.size() > 1 && !quiet())
            fmt::print("{}   {:.1f} s\n", said("{} of {} labs pass", passed_, labs_.size()), seconds_);
        if (quiet())
            fmt::print("{}\n", all_.dump(2));
        else if (!arguments_.json.empty())
            write_file(arguments_.json, all_.dump(2) + "\n");
        context_.exit_code = passed_ == labs_.size() ? 0 : passed_ + incomplete_ == labs_.size() ? code_incomplete : 1;
    }

    Context& context_;
    const CheckArguments& arguments_;
    CheckOptions options_;
    Progress progress_;
    std::vector<const check::ListedLab*> labs_;
    Workers workers_;
    Compiler compiler_;
    nlohmann::json all_ = nlohmann::json::array();
    size_t passed_ = 0, incomplete_ = 0; ///< labs
    double seconds_ = 0;
};

} // namespace

void run_check(Context& context, const CheckArguments& given) {
    CheckArguments arguments = given;
    if (arguments.labs.size() == 1 && arguments.file.empty() && !arguments.solutions)
        arguments.file = other_file(context.paths, arguments.labs[0]);
    chosen(arguments, Progress(context.paths)); // bad arguments are refused before anything else
    const CheckOptions options = options_of(arguments);
    if (!arguments.file.empty() && !fs::is_regular_file(arguments.file))
        throw Problem{"there is no file " + arguments.file, "check the path after --file"};
    Checks(context, arguments, options).run();
}

namespace check_command {
namespace {

void add(CLI::App& command, Context& context) {
    auto arguments = std::make_shared<CheckArguments>();
    command.add_option("LAB", arguments->labs, which_lab_or_next);
    command.add_flag("--all", arguments->all, "Every lab");
    command.add_flag("--solutions", arguments->solutions, "The reference solutions instead of your files");
    command.add_option("--file", arguments->file, "Another file instead of labs/…/kernel.cu")->type_name("PATH");
    command
        .add_option("--device", arguments->device,
                    "sim: the simulated device; gpu: results on the GPU alone; both: where there is a GPU")
        ->envname("LAB_DEVICE")
        ->check(CLI::IsMember({"sim", "gpu", "both"}));
    command.add_flag("--strict", arguments->strict, "A warning fails the check, as an error does");
    command.add_flag("--sanitize", arguments->sanitize,
                     "Also show what compute-sanitizer's tools say of it on the GPU");
    command.add_flag("--why", arguments->why, "Of a drill or a hunt: say at once what is wrong and what to change");
    command.add_option("--answer", arguments->answer, "Of a hunt: your guess, instead of a question")
        ->type_name("RULE:LINE");
    command.add_flag("--step", arguments->step, "Then write the page that steps through a case: ./lab step");
    command.add_option("--case", arguments->only_cases, "Only the cases whose name contains this; no points")
        ->type_name("NAME");
    command
        .add_option("--student", arguments->student,
                    "With this student's constants (./lab variant); by default, $LAB_STUDENT")
        ->envname("LAB_STUDENT")
        ->type_name("ID");
    command.add_option("--seed", arguments->seed, "For the inputs and the random schedules")->capture_default_str();
    command.add_option("--repeat-seed", arguments->repeat_seed,
                       "For the values with which a case that passes is repeated; by default, always new ones");
    command.add_option("--schedules", arguments->schedules, "How many schedules each case is run with")
        ->capture_default_str();
    command.add_option("--schedule", arguments->schedule, "Only this one")
        ->check(CLI::IsMember({"lazy", "eager", "random"}));
    command.add_option("--timeout", arguments->timeout, "Time limit for one run of one case, in seconds")
        ->capture_default_str();
    command
        .add_option("--format", arguments->format,
                    "gcc: places as compilers print them, so that an editor can mark them (docs/editor.md)")
        ->check(CLI::IsMember({"text", "gcc"}));
    add_json(command, arguments->json, "The results");
    command.footer("The exit code is 0 when all labs pass, 1 when one does not, 2 when the check cannot be made,\n"
                   "5 when it needs a GPU and there is none, 6 when nothing is wrong, but not everything was judged.");
    // Not for students: these measure what the checker is good for (tests/labs/seeds.py), each wait, barrier and fence
    // (removal.py), and a GPU (hardware.py).
    command.add_flag("--until-failure", arguments->until_failure)->group("");
    command.add_option("--seeds", arguments->seeds)->group("");
    command.add_flag("--list-skips", arguments->list_skips)->group("");
    command.add_option("--skip", arguments->skip)->group("");
    command.callback([&context, arguments] { run_check(context, *arguments); });
}

} // namespace

LAB_COMMAND = {
    .name = "check",
    .help = "Check a lab: compile it, run its cases, explain what is wrong",
    .add = add,
    .completion = Completion::labs,
};

} // namespace check_command
} // namespace runner
