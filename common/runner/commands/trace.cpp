#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/files.h"
#include "base/problem.h"
#include "check/suite.h"
#include "compile/compiler.h"
#include "runner/bench_model.h"
#include "runner/command.h"
#include "runner/names.h"
#include "runner/show_trace.h"
#include "sim/timeline/recorder.h"

namespace runner::trace_command {

using base::Problem, base::read_file, base::shown;
using compile::Compiled, compile::Compiler;
namespace {

using sim::timeline::Recording;

struct TraceArguments {
    std::string lab, file, out, test, arch, model;
    bool solutions = false, json = false;
    uint64_t block = 0, seed = 1;
};

/// How much a recording shows, up to a picture's capacity: copies, or else any events.
size_t worth(const Recording& recording) {
    std::set<std::pair<std::string, uint32_t>> copies;
    for (const auto& copy : recording.copies)
        copies.insert({copy.name, copy.number});
    constexpr size_t most_events = 1000, most_copies = 16;
    return copies.empty() ? std::min(recording.events.size(), most_events)
                          : most_events + std::min(copies.size(), most_copies);
}

bool better(const Recording& one, const Recording& other) {
    if (worth(one) != worth(other))
        return worth(one) > worth(other);
    return !one.events.empty() && (other.events.empty() || one.events.size() < other.events.size());
}

/// The recording that shows most, and what it is a recording of.
struct Best {
    Recording recording;
    std::string name;    ///< of the case; empty: none has such a block and name
    bool failed = false; ///< did any case fail?
};

Best record(const check::ListedLab& lab, check::RunConfig config, const TraceArguments& arguments, StatusLine& status) {
    Best best;
    best.recording.block = arguments.block;
    const auto cases = check::cases(lab.name);
    const auto named = check::named(cases, arguments.test);
    for (size_t i = 0; i < cases.size(); ++i) {
        if (!named[i])
            continue;
        status.show(cases[i].name);
        Recording recording;
        config.data_seed = arguments.seed + 17 * i;
        config.listener = sim::timeline::recorder(recording, {arguments.block});
        const check::RunResult result = check::run_case(lab.name, i, config);
        if (result.stuck) {
            fmt::print(stderr, "lab: error: a kernel does not end\n     next: ./lab check {}\n", number_of(lab.name));
            std::fflush(nullptr);
            _exit(1); // the device's thread will not come back
        }
        best.failed = best.failed || result.verdict != check::Verdict::passed;
        if (better(recording, best.recording)) {
            best.recording = std::move(recording);
            best.name = cases[i].name;
        }
    }
    return best;
}

void run_trace(Context& context, const TraceArguments& arguments) {
    const auto& lab = find_lab(arguments.lab);
    const NamedModel named = model_named(context.paths, arguments.model);
    const std::string file = arguments.file.empty() ? other_file(context.paths, arguments.lab) : arguments.file;
    const fs::path source = !file.empty()         ? fs::path(file)
                            : arguments.solutions ? context.paths.solution(lab.name)
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
    config.schedule = check::schedules(1, arguments.seed).front();
    const Best best = record(lab, config, arguments, status);
    status.clear();
    if (best.name.empty() && !arguments.test.empty())
        throw Problem{fmt::format("no case of the lab whose name contains '{1}' has a block {0}", arguments.block,
                                  arguments.test),
                      "the cases: ./lab check " + number_of(lab.name)};
    const fs::path out = arguments.out.empty() ? context.paths.state / "trace" / (std::string(lab.name) + ".html")
                                               : fs::path(arguments.out);
    const std::string title =
        fmt::format("{}, case \"{}\", {}", shown(fs::canonical(source)), best.name, config.target.arch());
    nlohmann::json summary = show_trace(arguments.json ? nullptr : stdout, title, best.recording, out, named.model);
    if (arguments.json) {
        summary.update({{"lab", lab.name},
                        {"file", fs::canonical(source).string()},
                        {"case", best.name},
                        {"target", config.target.arch()},
                        {"block", arguments.block},
                        {"model", named.gpu},
                        {"published", named.published},
                        {"passed", !best.failed}});
        fmt::print("{}\n", summary.dump(2));
        return;
    }
    if (const std::string remark = remark_on(named, config.target.arch()); !remark.empty())
        fmt::print("{}\n", remark);
    if (best.failed)
        fmt::print("This kernel is not right yet: ./lab check {}\n", number_of(lab.name));
}

void add(CLI::App& command, Context& context) {
    auto arguments = std::make_shared<TraceArguments>();
    command.add_option("LAB", arguments->lab, which_lab)->required();
    command.add_flag("--solutions", arguments->solutions, "The reference solution instead of your file");
    command.add_option("--file", arguments->file, "Another file instead of labs/…/kernel.cu")->type_name("PATH");
    command.add_option("--case", arguments->test, "Part of the name of the case to run; without it, a telling one")
        ->type_name("TEXT");
    command.add_option("--block", arguments->block, "Which block of the grid")->capture_default_str();
    command.add_option("--arch", arguments->arch, "Which of the lab's targets; without it, the newest");
    command.add_option("--seed", arguments->seed, "Of the inputs")->capture_default_str();
    add_model(command, arguments->model);
    command.add_option("--out", arguments->out, "Where to write; the extensions are .html and .json")
        ->type_name("PATH");
    command.add_flag("--json", arguments->json, "The numbers behind the picture, as JSON, instead of the picture");
    command.callback([&context, arguments] { run_trace(context, *arguments); });
}

} // namespace

LAB_COMMAND = {
    .name = "trace",
    .help = "Draw what one block's warps and copies do over time",
    .add = add,
    .completion = Completion::labs,
};

} // namespace runner::trace_command
