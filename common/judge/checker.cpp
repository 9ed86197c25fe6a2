#include "judge/checker.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/files.h"
#include "base/problem.h"
#include "base/random.h"
#include "base/text.h"
#include "check/gate.h"
#include "judge/alike.h"
#include "judge/points.h"
#include "judge/removal.h"

namespace judge {

using base::Problem, base::read_file;

using check::Verdict;
using sim::hazards::Severity;

namespace {

// Makes errors of its warnings.
void be_strict(check::RunResult& result) {
    if (sim::hazards::promote_warnings(result.findings) && result.verdict > Verdict::hazard) {
        result.verdict = Verdict::hazard;
        result.message.clear();
    }
}

/// One check of one file, once it is compiled.
class Run {
  public:
    Run(const compile::Compiler& compiler, const compile::Compiled& compiled, const check::ListedLab& lab,
        const CheckOptions& options, LabReport& report)
        : compiler_(compiler), compiled_(compiled), lab_(lab), options_(options), report_(report),
          schedules_(options.only.empty() ? check::schedules(options.schedules, options.seed) : options.only),
          failed_at_(report.cases.size(), SIZE_MAX) {
        if (options.where != Where::gpu)
            plan_simulated();
        simulated_ = tasks_.size();
        if (options.where != Where::simulated)
            plan_gpu();
        ran_.resize(tasks_.size());
        started_.resize(tasks_.size());
        per_schedule_ = std::max<size_t>(1, simulated_ / schedules_.size());
        report.failing_schedules.resize(schedules_.size());
    }

    void run(Workers& workers, const compile::Ticker& progress) {
        workers.run(
            tasks_, [&](size_t t) { return !ran_[t] && (started_[t] = wanted(t)); },
            [&](size_t t, check::RunResult result) { take(t, std::move(result)); },
            [&](size_t t, std::string_view call) {
                if (progress)
                    progress(doing(t, call));
            });
        for (size_t t = 0; (stopped_ || !spent_.empty()) && t < tasks_.size(); ++t)
            if (auto& item = report_.cases[tasks_[t].index]; !ran_[t] && item.result.verdict == Verdict::passed)
                cut_short(item, tasks_[t]);
    }

    /// Of the gate, on each target whose looks differ. None if nothing calls for them, or if the check has ended early.
    std::vector<check::SecondLook> look_again(size_t index, Workers& workers) {
        std::vector<check::SecondLook> looks;
        if (!check::calls_for_second_looks(report_.cases[index].result))
            return looks;
        const auto alike = next_alike(compiled_, lab_.lab->targets);
        std::vector<bool> seen(alike.size());
        for (size_t t = 0; t < alike.size(); ++t) {
            if (seen[t])
                continue;
            const auto tasks = second_looks(index, lab_.lab->targets[t]);
            const auto results = results_of(tasks, workers);
            if (results.empty())
                return {};
            for (size_t i = 0; i < results.size(); ++i) {
                using Completion = sim::machine::Schedule::Completion;
                looks.push_back({t, results[i], tasks[i].config.schedule.completion == Completion::lazy});
            }
            // They count for targets with the same PTX, too, as in take.
            if (std::ranges::all_of(results, &check::RunResult::any_target))
                for (size_t twin = t; alike[twin] != twin;)
                    seen[twin = alike[twin]] = true;
        }
        return looks;
    }

    /// Of other cases, the look that does least harm, on the target that failed; where that one does not end, the
    /// other. As look_again.
    std::vector<check::RunResult> look_briefly(std::span<CaseReport* const> items, Workers& workers) {
        std::vector<Task> tasks, late;
        for (const CaseReport* item : items) {
            auto looks = second_looks(static_cast<size_t>(item - report_.cases.data()), item->target);
            for (Task& look : looks) // the gate has been repeated
                look.config.repeat = false;
            late.push_back(looks.front());
            tasks.push_back(looks.back());
        }
        auto results = results_of(tasks, workers);
        std::vector<size_t> again;
        for (size_t i = 0; i < results.size(); ++i)
            if (results[i].verdict != Verdict::passed && results[i].verdict != Verdict::mechanism)
                again.push_back(i);
        tasks.clear();
        for (const size_t i : again)
            tasks.push_back(std::move(late[i]));
        auto others = results_of(tasks, workers);
        for (size_t i = 0; i < others.size(); ++i)
            results[again[i]] = std::move(others[i]);
        return results;
    }

  private:
    std::vector<Task> second_looks(size_t index, const check::Target& target) const {
        std::vector<Task> looks;
        Task one = task(index, target);
        one.config.schedule.seed = options_.seed;
        one.config.repeat_seed = report_.repeat_seed;
        for (auto& config : check::second_looks(one.config))
            looks.emplace_back(one).config = std::move(config);
        return looks;
    }

    std::vector<check::RunResult> results_of(const std::vector<Task>& tasks, Workers& workers) {
        if (simulated_ == 0 || options_.stop_at_failure || stopped_ || !spent_.empty())
            return {};
        std::vector<check::RunResult> results(tasks.size());
        workers.run(
            tasks, [](size_t) { return true; },
            [&](size_t t, check::RunResult result) {
                spend(result);
                results[t] = std::move(result);
            });
        return results;
    }

    void cut_short(CaseReport& item, const Task& task) const {
        item.cut_short = spent_.empty();
        if (item.cut_short)
            return;
        item.result = {};
        item.result.verdict = Verdict::timeout;
        item.result.message = spent_;
        item.target = task.config.target;
        item.schedule = task.config.schedule;
    }

    // The message names no measured times: they differ from run to run.
    void spend(const check::RunResult& result) {
        report_.processor_seconds += result.processor_seconds;
        const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
        const auto& [most_wall, most_processor] = options_.budget;
        const bool processor = most_processor > 0 && report_.processor_seconds > most_processor;
        if (spent_.empty() && (processor || (most_wall > 0 && wall > most_wall))) {
            report_.over_budget = true;
            spent_ = fmt::format("not all runs of this case took place: together, the runs of this lab take more than "
                                 "{:g} s{}. Do not sleep, and do not compute on the host what kernels should compute",
                                 processor ? most_processor : most_wall, processor ? " of processor time" : "");
        }
    }

    bool chosen(size_t index) const {
        return report_.cases[index].info.name.find(options_.only_cases) != std::string::npos;
    }

    Task task(size_t index, const check::Target& target) const {
        Task task;
        task.lab = lab_.name;
        task.index = index;
        task.config = compiler_.run_config(compiled_, target);
        task.config.sms = lab_.lab->sms;
        task.config.source = report_.source;
        task.config.timeout = options_.timeout;
        task.config.data_seed = options_.seed + 17 * index;
        task.config.constants = options_.constants;
        return task;
    }

    void plan_simulated() {
        auto targets = lab_.lab->targets;
        if (options_.skip)
            std::erase_if(targets, [&](const auto& target) { return target.arch() != options_.skip->arch; });
        const auto alike = next_alike(compiled_, targets);
        const auto cases = static_cast<size_t>(std::ranges::count_if(std::views::iota(size_t{0}, report_.cases.size()),
                                                                     [&](size_t i) { return chosen(i); }));
        for (size_t s = 0; s < schedules_.size(); ++s)
            for (const auto& target : targets)
                for (size_t i = 0; i < report_.cases.size(); ++i) {
                    if (!chosen(i))
                        continue;
                    if (options_.each_schedule && target != targets[s % targets.size()])
                        continue; // many schedules: the targets take turns
                    const size_t k = static_cast<size_t>(&target - targets.data());
                    twins_.push_back(tasks_.size() + (options_.each_schedule ? 0 : (alike[k] - k) * cases));
                    Task& one = tasks_.emplace_back(task(i, target));
                    one.config.schedule = schedules_[s];
                    // Fresh inputs for each schedule, the same ones for each target.
                    one.config.data_seed += 1000 * s;
                    one.config.repeat = one.config.protocol = s == 0;
                    one.config.repeat_seed = report_.repeat_seed;
                    one.config.estimate = options_.estimate && s == 0 && is_modelled(i);
                }
    }

    bool is_modelled(size_t index) const {
        return !lab_.lab->modelled.empty() && report_.cases[index].info.name == lab_.lab->modelled;
    }

    void plan_gpu() {
        report_.gpu = options_.gpu->name;
        for (const auto& target : lab_.lab->targets)
            for (size_t i = 0; i < report_.cases.size() && runs(*options_.gpu, target); ++i) {
                if (!chosen(i) || (options_.skip && target.arch() != options_.skip->arch))
                    continue;
                tasks_.push_back(task(i, target));
                tasks_.back().config.gpu = true;
            }
        report_.gpu_runs_it = tasks_.size() > simulated_;
        if (!report_.gpu_runs_it)
            report_.gpu +=
                fmt::format(" (sm_{}) cannot run this lab's {}", options_.gpu->sm, lab_.lab->targets.back().arch());
    }

    bool wanted(size_t t) const {
        if (stopped_ || !spent_.empty())
            return false;
        if (options_.each_schedule && t < simulated_)
            return !report_.failing_schedules[t / per_schedule_];
        return !options_.stop_early ||
               (failed_at_[tasks_[t].index] == SIZE_MAX && !(options_.stop_at_failure && failed_));
    }

    // A run that could not distinguish its target from another one with the same PTX counts for that one, too.
    void take(size_t t, check::RunResult result) {
        record(t, result);
        result.processor_seconds = 0;
        for (size_t twin; result.any_target && (twin = twin_of(t)) != t && !started_[twin] && wanted(twin); t = twin)
            record(twin, result);
    }

    /// The same task for the next target with the same PTX; `t` if there is none.
    size_t twin_of(size_t t) const { return t < twins_.size() ? twins_[t] : t; }

    void record(size_t t, check::RunResult result) {
        const Task& task = tasks_[t];
        CaseReport& item = report_.cases[task.index];
        ++item.runs;
        item.executed.join(result.executed);
        if (task.config.protocol)
            item.protocol.join(result.protocol);
        if (task.config.estimate && task.config.target == lab_.lab->targets.back())
            report_.estimate = result.estimate;
        spend(result);
        if (options_.strict)
            be_strict(result);
        ran_[t] = true;
        for (const auto& finding : result.findings)
            if (finding.severity != Severity::error &&
                seen_.emplace(finding.severity, finding.rule, finding.first.file, finding.first.line).second)
                (finding.severity == Severity::warning ? report_.warnings : report_.notes).push_back(finding);
        const bool failed = result.verdict < Verdict::incomplete; // else further schedules may still find something
        failed_ = failed_ || failed;
        stopped_ = stopped_ || (options_.stop_at_timeout && result.verdict == Verdict::timeout &&
                                result.seconds >= std::chrono::duration<double>(options_.timeout).count());
        if (failed && t < simulated_)
            report_.failing_schedules[t / per_schedule_] = true;
        size_t& failed_at = failed_at_[task.index];
        if (failed ? t >= failed_at : failed_at != SIZE_MAX || item.result.verdict == Verdict::incomplete)
            return;
        item.result = std::move(result);
        item.target = task.config.target;
        item.gpu = task.config.gpu;
        item.schedule = task.config.schedule;
        if (failed)
            failed_at = t;
    }

    // "schedule 2 of 4, compute_90: ragged tail (1000, 4)"
    std::string doing(size_t t, std::string_view call) const {
        call.remove_prefix(std::min(call.find('('), call.size()));
        const auto& config = tasks_[t].config;
        const std::string how = config.gpu ? "on the GPU"
                                           : fmt::format("schedule {} of {}, {}", t / per_schedule_ + 1,
                                                         schedules_.size(), config.target.arch());
        return fmt::format("{}: {} {}", how, base::shortened(report_.cases[tasks_[t].index].info.name, 24), call);
    }

    const compile::Compiler& compiler_;
    const compile::Compiled& compiled_;
    const check::ListedLab& lab_;
    const CheckOptions& options_;
    LabReport& report_;
    std::vector<sim::machine::Schedule> schedules_;
    std::vector<Task> tasks_;
    size_t simulated_ = 0, per_schedule_ = 1; ///< tasks: those come first; of each schedule
    std::vector<size_t> failed_at_;           ///< by case: the lowest index of a failed task
    std::set<std::tuple<Severity, const sim::hazards::Rule*, std::string, uint32_t>> seen_; ///< milder than errors
    std::vector<bool> ran_, started_;                                                       ///< tasks
    std::vector<size_t> twins_; ///< of simulated tasks: see twin_of
    bool failed_ = false, stopped_ = false;
    std::string spent_; ///< the budget is: what to say to whose cases are left; empty: it is not
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

} // namespace

std::string why_no_source(std::string_view text) {
    const size_t nuls = static_cast<size_t>(std::ranges::count(text, '\0'));
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") || 3 * nuls > text.size())
        return "is UTF-16 text, which nvcc cannot read: save it as UTF-8";
    return nuls ? "is binary data, no source text: hand in the .cu file itself" : "";
}

LabReport check_lab(const compile::Compiler& compiler, Workers& workers, const check::ListedLab& lab,
                    const fs::path& source, const CheckOptions& options, const compile::Ticker& progress) {
    const auto began = std::chrono::steady_clock::now();
    auto since = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); };
    LabReport report;
    report.lab = lab.name;
    report.source = source;
    report.where = options.where;
    report.only = options.only_cases;
    report.constants = options.constants;
    report.repeat_seed = options.repeat_seed ? options.repeat_seed : base::fresh_seed();
    const auto is_chosen = [&](const check::Case& item) {
        return item.name.find(options.only_cases) != std::string::npos;
    };
    std::string names;
    for (const auto& item : check::cases(lab.name)) {
        report.possible += is_chosen(item) ? item.points : 0;
        report.cases.push_back({item, {}, {}, false, {}, 0, {}});
        names += fmt::format("\n  {}", item.name);
    }
    if (std::ranges::none_of(report.cases, [&](const auto& item) { return is_chosen(item.info); }))
        throw Problem{fmt::format("lab {} has no case with \"{}\" in its name", lab.name, options.only_cases),
                      "choose one of:" + names};
    compile::Compiled compiled;
    if (const std::string why = why_no_source(read_file(source)); !why.empty())
        compiled.errors = source.filename().string() + " " + why + "\n";
    else
        compiled = compiler.lab(source, lab.lab->targets, progress);
    report.compile_seconds = compiled.seconds;
    report.compile_warnings = compiled.warnings;
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
    Run run(compiler, compiled, lab, options, report);
    run.run(workers, progress);
    give_points(report, *lab.lab, options,
                {[&](size_t gate) { return run.look_again(gate, workers); },
                 [&](std::span<CaseReport* const> cases) { return run.look_briefly(cases, workers); }});
    for (auto& item : report.cases)
        compiler.name_host_lines(compiled, source, item.result.findings);
    compiler.name_host_lines(compiled, source, report.notes);
    std::erase_if(report.cases, [&](const auto& item) { return !is_chosen(item.info); });
    for (const auto& item : report.cases)
        report.points += item.earned;
    report.seconds = since();
    return report;
}

} // namespace judge
