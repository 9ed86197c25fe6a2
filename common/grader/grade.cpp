#include "grader/grade.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/files.h"
#include "base/hash.h"
#include "base/paths.h"
#include "base/problem.h"
#include "grader/job.h"
#include "grader/todos.h"
#include "judge/checker.h"
#include "judge/skeleton.h"

namespace grader {
namespace {

void try_compiler(const Job& job, const compile::Compiler& compiler, std::string_view lab) {
    // Another text each time, or the first would be re-used.
    const fs::path source = job.put("nothing", fmt::format("__global__ void nothing() {{}} // {}\n", lab));
    if (const std::string errors = compiler.try_ptx(source, check::sm_90); !errors.empty())
        throw base::Problem{
            "compilers do not work at this level of isolation: " + errors,
            "put asynclab and TMPDIR into folders that every user may enter and that have free space, or "
            "choose another --isolation"};
}

// Has the compiler read the kernel and found a mistake in it? Then it works. Files that it cannot open may be ours.
bool found_a_mistake(const std::string& errors, const std::string& source) {
    if (!judge::why_no_source(source).empty())
        return true;
    for (const char* machine : {"cannot open", "No such file", "fatal", "catastrophic", "in time"})
        if (errors.find(machine) != errors.npos)
            return false;
    const size_t at = errors.find("kernel.cu(");
    return at != errors.npos && errors.find("): error", at) != errors.npos;
}

check::Constants constants(const check::ListedLab& lab, const Course& course, const GradeOptions& options) {
    return course.variants.labs.contains(std::string(lab.name)) ? check::constants_for(lab.name, options.student)
                                                                : check::Constants{};
}

// A person who looks at lost points sees at once that the numbers are another student's.
void compare_constants(Result& result, const check::ListedLab& lab, const check::Constants& wanted,
                       const std::string& source, const std::string& student) {
    const check::Constants found = check::constants_in(source, wanted);
    if (std::ranges::any_of(found, [&](const auto& one) { return wanted.at(one.first) != one.second; }))
        result.problems.push_back(fmt::format(
            "lab {}: the kernel says {}, but student {} has {}: ./lab variant {} --student {}", lab.name.substr(0, 2),
            check::text(found), student, check::text(wanted), lab.name.substr(0, 2), student));
}

} // namespace

std::string inputs_hash(const std::string& name, const Submission& submission, const Course& course,
                        const GradeOptions& options) {
    base::Hash hash;
    std::error_code problem;
    const auto built = fs::last_write_time("/proc/self/exe", problem).time_since_epoch().count();
    hash.add(fmt::format("{} {} {} {} {} {} {} {}", format_version, built, options.seed, options.secret_seed,
                         options.schedules, options.timeout, options.compile_timeout, options.strict));
    hash.add(fmt::format("{} {}", options.budget.wall, options.budget.processor));
    hash.add(isolation::name(options.level)).add(course.title);
    if (const auto when = course.submitted.find(name); when != course.submitted.end())
        hash.add(text_of(when->second));
    hash.add(fmt::format("{} {} {} {}", submission.late, course.late.canvas_days, course.strict_gate,
                         course.hazard_percent));
    for (const auto* lab : options.labs)
        hash.add(lab->name);
    for (const auto& [lab, kernel] : submission.kernels)
        hash.add(lab).add(kernel.path).add(kernel.text);
    for (const auto& problem : submission.problems)
        hash.add(problem);
    for (const auto* lab : options.labs)
        hash.add(check::text(constants(*lab, course, options)));
    for (const auto& [name, lab] : course.labs) {
        hash.add(name).add(fmt::format("{} {}", lab.weight, lab.due ? text_of(*lab.due) : ""));
        for (const auto& hidden : lab.hidden)
            hash.add(hidden);
    }
    hash.add(fmt::format("{} {} {} {}", course.late.grace.count(), course.late.percent_per_day,
                         course.late.most_percent, course.late.days.value_or(-1)));
    return hash.text();
}

void try_compiler(const base::Paths& paths, const GradeOptions& options) {
    const Job job(paths, options.level);
    compile::Compiler compiler(job.paths(), job.box());
    compiler.limit(std::chrono::seconds(options.compile_timeout));
    try_compiler(job, compiler, "any");
}

Result grade(const base::Paths& paths, const std::string& name, const Submission& submission, const Course& course,
             const GradeOptions& options, const std::function<void(std::string_view)>& progress) {
    const Job job(paths, options.level, options.prepared ? options.prepared->kit : fs::path());
    judge::Workers workers(options.workers);
    compile::Compiler compiler(job.paths(), job.box());
    if (options.prepared)
        compiler.use(options.prepared->run, options.group);
    compiler.limit(std::chrono::seconds(options.compile_timeout));
    Result result{.course = course.title,
                  .submission = name,
                  .inputs = inputs_hash(name, submission, course, options),
                  .isolation = isolation::describe(options.level),
                  .seed = options.seed,
                  .seed_policy = options.secret_seed ? "secret" : "public",
                  .repeat_seed = options.repeat_seed,
                  .budget = options.budget,
                  .strict = options.strict,
                  .problems = submission.problems,
                  .unrecognised = submission.unrecognised};
    for (const auto* lab : options.labs) {
        const auto found = submission.kernels.find(std::string(lab->name));
        if (found == submission.kernels.end()) {
            result.labs.push_back(missing(*lab));
            continue;
        }
        const fs::path source = job.put(std::string(lab->name), found->second.text);
        judge::CheckOptions check;
        check.seed = options.seed;
        check.repeat_seed = options.repeat_seed;
        check.budget = options.budget;
        check.constants = constants(*lab, course, options);
        check.schedules = options.schedules;
        check.strict = options.strict;
        check.strict_gate = course.strict_gate;
        check.hazard_percent = course.hazard_percent;
        check.timeout = std::chrono::milliseconds(static_cast<int64_t>(options.timeout * 1000));
        const auto report = judge::check_lab(compiler, workers, *lab, source, check, [&](std::string_view what) {
            if (progress)
                progress(fmt::format("{}: {}", lab->name, what));
        });
        if (!report.compile_errors.empty() && !found_a_mistake(report.compile_errors, found->second.text))
            try_compiler(job, compiler, lab->name);
        LabResult graded = lab_result(report, source, result.timing[std::string(lab->name)]);
        add_todos(graded, judge::skeleton(paths, lab->name).text, found->second.text);
        compare_constants(result, *lab, check.constants, found->second.text, options.student);
        graded.handed_in->path = found->second.path;
        graded.handed_in->source = judge::why_no_source(found->second.text).empty()
                                       ? found->second.text
                                       : fmt::format("({} bytes that are no text in UTF-8)", found->second.text.size());
        result.labs.push_back(std::move(graded));
    }
    if (const auto when = course.submitted.find(name); when != course.submitted.end())
        result.submitted = when->second;
    else
        result.called_late = submission.late;
    score(result, course);
    return result;
}

void score(Result& result, const Course& course) {
    for (auto& lab : result.labs) {
        const auto found = course.labs.find(lab.lab);
        const CourseLab rules = found == course.labs.end() ? CourseLab{} : found->second;
        const double late = result.called_late ? late_share(course.late, course.late.canvas_days)
                                               : late_share(course.late, rules.due, result.submitted);
        lab.weight = rules.weight;
        lab.due = rules.due;
        lab.late_percent = rounded(100 * late);
        lab.score = rounded(lab.points * rules.weight * (1 - late));
        lab.out_of = rounded(lab.possible * rules.weight);
        for (auto& item : lab.cases)
            item.hidden = rules.hidden.contains(item.name);
    }
    result.add_up();
}

} // namespace grader
