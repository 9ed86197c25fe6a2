#include "runner/checker.h"

#include <fmt/format.h>
#include <unistd.h>

#include "check/findings.h"
#include "check/wrap.h"
#include "runner/removal.h"

namespace runner {

using check::Verdict;

namespace {

/// The PTX file without the instructions; it goes with this object.
class Altered {
  public:
    Altered(const fs::path& ptx, const std::vector<size_t>& indices)
        : path_(fs::temp_directory_path() / fmt::format("asynclab-{}.ptx", getpid())) {
        const std::string text = read_file(ptx);
        const auto all = removables(text);
        std::vector<Removable> chosen;
        for (const size_t index : indices) {
            if (index >= all.size())
                throw Problem{fmt::format("there are {} instructions to skip, counted from 0", all.size()),
                              "list them: --list-skips"};
            chosen.push_back(all[index]);
        }
        write_file(path_, without(text, std::move(chosen)));
    }
    ~Altered() {
        std::error_code ignored;
        fs::remove(path_, ignored);
    }
    Altered(const Altered&) = delete;
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

} // namespace

const CaseReport* LabReport::first_failure() const {
    const CaseReport* worst = nullptr;
    for (const auto& item : cases)
        if (!item.passed() && (!worst || item.result.verdict < worst->result.verdict))
            worst = &item;
    return worst;
}

LabReport check_lab(const Compiler& compiler, Workers& workers, const check::ListedLab& lab, const fs::path& source,
                    const CheckOptions& options, const Ticker& progress) {
    const auto began = std::chrono::steady_clock::now();
    auto since = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); };
    LabReport report;
    report.lab = lab.name;
    report.source = source;
    report.where = options.where;
    const auto cases = check::cases(lab.name);
    for (const auto& item : cases) {
        report.possible += item.points;
        report.cases.push_back({item, {}, {}, false, {}, 0});
    }
    auto targets = lab.lab->targets;
    if (options.skip)
        std::erase_if(targets, [&](const check::Target& target) { return target.arch() != options.skip->arch; });
    Compiled compiled = compiler.lab(source, lab.lab->targets, progress);
    report.compile_seconds = compiled.seconds;
    report.warnings = compiled.warnings;
    if (!compiled) {
        report.compile_errors = compiled.errors;
        report.seconds = since();
        return report;
    }

    std::optional<Altered> altered;
    if (options.skip) {
        auto& ptx = compiled.ptx.at(options.skip->arch);
        ptx = altered.emplace(ptx, options.skip->indices).path();
    }
    const auto schedules = options.only.empty() ? check::schedules(options.schedules, options.seed) : options.only;
    std::vector<Task> tasks;
    const auto task = [&](size_t index, const check::Target& target) {
        Task task;
        task.lab = lab.name;
        task.index = index;
        task.ptx = compiled.ptx.at(target.arch());
        task.config.program = compiled.program;
        task.config.environment = compiler.environment();
        task.config.box = compiler.program_box(compiled);
        task.config.target = target;
        task.config.timeout = options.timeout;
        task.config.data_seed = options.seed + 17 * index;
        return task;
    };
    for (size_t s = 0; s < schedules.size() && options.where != Where::gpu; ++s)
        for (const auto& target : targets)
            for (size_t i = 0; i < cases.size(); ++i) {
                if (options.each_schedule && target != targets[s % targets.size()])
                    continue; // many schedules: the targets take turns
                Task one = task(i, target);
                one.config.schedule = schedules[s];
                // Fresh inputs for each schedule, the same ones for each target.
                one.config.data_seed += 1000 * s;
                one.config.repeat = s == 0;
                tasks.push_back(std::move(one));
            }
    const size_t simulated = tasks.size();
    if (options.where != Where::simulated) {
        report.gpu = options.gpu->name;
        for (const auto& target : targets)
            for (size_t i = 0; i < cases.size() && runs(*options.gpu, target); ++i) {
                tasks.push_back(task(i, target));
                tasks.back().config.gpu = true;
            }
        if (tasks.size() == simulated)
            report.gpu += fmt::format(" (sm_{}) cannot run this lab's {}", options.gpu->sm, targets.back().arch());
    }
    std::vector<size_t> failed_at(cases.size(), SIZE_MAX); // lowest index of a failed task of the case
    std::set<std::string> seen_notes;
    bool failed = false;
    report.failing_schedules.resize(schedules.size());
    const size_t per_schedule = std::max<size_t>(1, simulated / schedules.size());
    workers.run(
        tasks,
        [&](size_t t) {
            if (options.each_schedule && t < simulated)
                return !report.failing_schedules[t / per_schedule];
            return !options.stop_early ||
                   (failed_at[tasks[t].index] == SIZE_MAX && !(options.stop_at_failure && failed));
        },
        [&](size_t t, check::RunResult result) {
            CaseReport& item = report.cases[tasks[t].index];
            ++item.runs;
            for (const auto& finding : result.findings)
                if (finding.at("severity") == "note" &&
                    seen_notes
                        .insert(fmt::format("{} {} {}", finding.at("rule").get<std::string>(),
                                            finding.at("first").at("file").get<std::string>(),
                                            finding.at("first").at("line").get<int>()))
                        .second)
                    report.notes.push_back(finding);
            const bool passed = result.verdict == Verdict::passed;
            failed = failed || !passed;
            if (!passed && t < simulated)
                report.failing_schedules[t / per_schedule] = true;
            if (passed ? failed_at[tasks[t].index] == SIZE_MAX : t < failed_at[tasks[t].index]) {
                item.result = std::move(result);
                item.target = tasks[t].config.target;
                item.gpu = tasks[t].config.gpu;
                item.schedule = tasks[t].config.schedule;
                if (!passed)
                    failed_at[tasks[t].index] = t;
            }
        },
        [&](size_t t, std::string_view call) {
            if (!progress)
                return;
            call.remove_prefix(std::min(call.find('('), call.size()));
            const auto& config = tasks[t].config;
            const std::string how = config.gpu ? "on the GPU"
                                               : fmt::format("schedule {} of {}, {}", t / per_schedule + 1,
                                                             schedules.size(), config.target.arch());
            progress(fmt::format("{}: {} {}", how, check::shortened(cases[tasks[t].index].name, 24), call));
        });
    for (const auto& item : report.cases)
        report.points += item.passed() && item.runs ? item.info.points : 0;
    report.seconds = since();
    return report;
}

nlohmann::json to_json(const LabReport& report) {
    nlohmann::json cases = nlohmann::json::array();
    for (const auto& item : report.cases) {
        nlohmann::json one = check::to_json(item.result);
        one["name"] = item.info.name;
        one["points"] = item.info.points;
        one["passed"] = report.compile_errors.empty() && item.passed();
        one["runs"] = item.runs;
        one["target"] = item.target.arch();
        one["device"] = item.gpu ? "gpu" : "sim";
        one["schedule"] = sim::hazards::name(item.schedule.completion);
        one["seed"] = item.schedule.seed;
        one.erase("stuck");
        one.erase("measured");
        if (!report.compile_errors.empty())
            one["verdict"] = "compile-error";
        cases.push_back(one);
    }
    return {{"lab", report.lab},
            {"file", report.source.string()},
            {"gpu", report.gpu},
            {"passed", report.passed()},
            {"points", report.points},
            {"possible", report.possible},
            {"compile_errors", report.compile_errors},
            {"cases", cases},
            {"notes", report.notes},
            {"failing_schedules", report.failing_schedules},
            {"seconds", report.seconds},
            {"compile_seconds", report.compile_seconds}};
}

} // namespace runner
