#include "grader/grade.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/files.h"
#include "base/hash.h"
#include "base/paths.h"
#include "base/problem.h"
#include "grader/job.h"
#include "grader/todos.h"
#include "judge/checker.h"

namespace grader {
namespace {

// Messages, findings and output name files by where they lay while being graded, which changes from run to run; so do
// the names of the compiler's own files.
void forget_paths(json& value, const fs::path& source) {
    if (value.is_structured()) {
        for (auto& item : value)
            forget_paths(item, source);
    } else if (value.is_string()) {
        std::string text = value;
        for (const fs::path& folder : {source.parent_path(), fs::path(base::shown(source.parent_path()))}) {
            const std::string near = folder.string() + "/", around = folder.parent_path().string();
            for (size_t at; (at = text.find(near)) != std::string::npos;)
                text.erase(at, near.size());
            for (size_t at; (at = text.find(around)) != std::string::npos;)
                text.replace(at, std::min(text.find_first_of(" :,;()'\"\n", at), text.size()) - at,
                             "(a temporary file)");
        }
        value = text;
    }
}

json without_times(json lab, json& timing) {
    for (const char* key : {"seconds", "compile_seconds", "processor_seconds"}) {
        timing[key] = lab.at(key);
        lab.erase(key);
    }
    lab.erase("repeat_seed"); // the same for all labs
    lab.erase("file");
    for (auto& item : lab.at("cases")) {
        item.erase("seconds");
        // Which limit a kernel that does not end reaches first, and where it is by then, differs from run to run.
        if (const std::string message = item.at("message"); message.starts_with("stopped while it ran") ||
                                                            message.starts_with("stopped after") ||
                                                            message.starts_with("a kernel was still running after")) {
            item["verdict"] = check::name(check::Verdict::timeout);
            for (const char* how_far : {"executed", "incomplete"})
                item.erase(how_far);
            const std::string output = item.at("output"); // where the device says how far it came
            item["output"] = output.substr(0, output.find("asynclab: stopped"));
            item["message"] = "a kernel was still running when the time for this case was up: does one of its loops "
                              "not end?";
        }
    }
    return lab;
}

json missing(const check::ListedLab& lab) {
    json cases = json::array();
    int possible = 0;
    for (const auto& item : check::cases(lab.name)) {
        possible += item.points;
        cases.push_back({{"name", item.name}, {"points", item.points}, {"passed", false}, {"verdict", "missing"}});
    }
    return {{"lab", lab.name}, {"passed", false}, {"points", 0}, {"possible", possible}, {"cases", cases}};
}

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

double rounded(double points) {
    return std::round(points * 1e6) / 1e6;
}

check::Constants constants(const check::ListedLab& lab, const Course& course, const GradeOptions& options) {
    return course.variants.labs.contains(std::string(lab.name)) ? check::constants_for(lab.name, options.student)
                                                                : check::Constants{};
}

// A person who looks at lost points sees at once that the numbers are another student's.
void compare_constants(json& result, const check::ListedLab& lab, const check::Constants& wanted,
                       const std::string& source, const std::string& student) {
    const check::Constants found = check::constants_in(source, wanted);
    if (std::ranges::any_of(found, [&](const auto& one) { return wanted.at(one.first) != one.second; }))
        result["problems"].push_back(fmt::format(
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
    hash.add(fmt::format("{} {}", submission.late, course.late.canvas_days));
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

json grade(const base::Paths& paths, const std::string& name, const Submission& submission, const Course& course,
           const GradeOptions& options, const std::function<void(std::string_view)>& progress) {
    const Job job(paths, options.level, options.prepared ? options.prepared->kit : fs::path());
    judge::Workers workers(options.workers);
    compile::Compiler compiler(job.paths(), job.box());
    if (options.prepared)
        compiler.use(options.prepared->run, options.group);
    compiler.limit(std::chrono::seconds(options.compile_timeout));
    json result{{"format", format_version},
                {"course", course.title},
                {"submission", name},
                {"inputs", inputs_hash(name, submission, course, options)},
                {"isolation", isolation::describe(options.level)},
                {"seed", options.seed},
                {"seed_policy", options.secret_seed ? "secret" : "public"},
                {"repeat_seed", options.repeat_seed},
                {"budget", {{"seconds", options.budget.wall}, {"processor_seconds", options.budget.processor}}},
                {"strict", options.strict},
                {"problems", submission.problems},
                {"labs", json::array()}};
    json timing = json::object();
    for (const auto* lab : options.labs) {
        const auto found = submission.kernels.find(std::string(lab->name));
        if (found == submission.kernels.end()) {
            result["labs"].push_back(missing(*lab));
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
        check.timeout = std::chrono::milliseconds(static_cast<int64_t>(options.timeout * 1000));
        const auto report = judge::check_lab(compiler, workers, *lab, source, check, [&](std::string_view what) {
            if (progress)
                progress(fmt::format("{}: {}", lab->name, what));
        });
        if (!report.compile_errors.empty() && !found_a_mistake(report.compile_errors, found->second.text))
            try_compiler(job, compiler, lab->name);
        json graded = without_times(to_json(report), timing[std::string(lab->name)]);
        forget_paths(graded, source);
        if (report.over_budget)
            graded["over_budget"] = true;
        if (const fs::path published = paths.published(lab->name); fs::exists(published))
            add_todos(graded, base::read_file(published), found->second.text);
        compare_constants(result, *lab, check.constants, found->second.text, options.student);
        graded["path"] = found->second.path;
        graded["source"] = judge::why_no_source(found->second.text).empty()
                               ? found->second.text
                               : fmt::format("({} bytes that are no text in UTF-8)", found->second.text.size());
        result["labs"].push_back(std::move(graded));
    }
    if (const auto when = course.submitted.find(name); when != course.submitted.end())
        result["submitted"] = text_of(when->second);
    else if (submission.late)
        result["called_late"] = true;
    score(result, course);
    result["timing"] = timing;
    return result;
}

void score(json& result, const Course& course) {
    std::optional<Time> submitted;
    if (result.contains("submitted"))
        submitted = time_from(result.at("submitted").get<std::string>());
    double sum = 0, possible = 0;
    for (auto& lab : result.at("labs")) {
        const auto found = course.labs.find(lab.at("lab"));
        const CourseLab rules = found == course.labs.end() ? CourseLab{} : found->second;
        const double late = result.value("called_late", false) ? late_share(course.late, course.late.canvas_days)
                                                               : late_share(course.late, rules.due, submitted);
        lab["weight"] = rules.weight;
        if (rules.due)
            lab["due"] = text_of(*rules.due);
        lab["late_percent"] = rounded(100 * late);
        lab["score"] = rounded(lab.at("points").get<double>() * rules.weight * (1 - late));
        lab["out_of"] = rounded(lab.at("possible").get<double>() * rules.weight);
        for (auto& item : lab.at("cases"))
            item["hidden"] = rules.hidden.contains(item.at("name"));
        sum += lab.at("score").get<double>();
        possible += lab.at("out_of").get<double>();
    }
    result["score"] = rounded(sum);
    result["possible"] = rounded(possible);
}

} // namespace grader
