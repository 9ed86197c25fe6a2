#include "grader/formats/overview.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "grader/formats/explain.h"
#include "grader/formats/results.h"
#include "grader/result/text.h"
#include "sim/report/text.h"

namespace grader {

using check::Verdict;
using sim::hazards::Severity;

namespace {

constexpr size_t most_bars = 21, most_results = 3;

// Where the figures in usage.csv come from, a line for each way: "… (58 submissions)".
std::string accounting_of(const std::vector<Result>& results) {
    std::map<std::string, size_t> ways;
    for (const auto& result : results) {
        const auto& [measured, why_not] = result.accounting;
        const std::string way = measured.empty() ? "without control groups: " + why_not
                                                 : fmt::format("by control groups: {}", fmt::join(measured, ", "));
        ++ways[way];
    }
    std::string text;
    for (const auto& [way, count] : ways)
        text += fmt::format("{} ({} submissions)\n", way, count);
    return text;
}

bool is_excused(const LabResult& lab) {
    return lab.possible <= 0;
}

// Counts cases in which the checker itself has found a failure, not those that follow from another case.
bool is_failure(const CaseResult& item) {
    return !item.passed && !item.by_person && item.verdict != Verdict::missing && item.verdict != Verdict::unearned;
}

// Numbers and quoted text differ from student to student even when the mistake is the same.
std::string without_details(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size();) {
        const bool begins = i == 0 || !base::is_word(text[i - 1]);
        if (const size_t end = text[i] == '"' ? text.find('"', i + 1) : std::string_view::npos;
            end != std::string_view::npos) {
            out += "\"…\"";
            i = end + 1;
        } else if (begins && std::isdigit(static_cast<unsigned char>(text[i]))) {
            out += "…";
            while (i < text.size() &&
                   (base::is_word(text[i]) ||
                    (text[i] == '.' && i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1])))))
                ++i;
        } else {
            out += text[i++];
        }
    }
    return base::shortened(out, 160);
}

// "kernel.cu(12): error: identifier "x" is undefined": the line, and the text behind "error: ".
std::pair<size_t, std::string> first_compile_error(const std::string& errors) {
    const size_t at = errors.find("error: ");
    if (at == std::string::npos)
        return {0, errors.substr(0, errors.find('\n'))};
    const size_t begin = errors.rfind('\n', at) + 1; // npos + 1 is 0
    size_t line = 0;
    for (const char* before : {"kernel.cu(", "kernel.cu:"})
        if (const size_t named = errors.find(before, begin); named < at)
            line = std::strtoul(errors.c_str() + named + 10, nullptr, 10);
    return {line, errors.substr(at + 7, errors.find('\n', at) - at - 7)};
}

size_t line_of(const Finding& finding) {
    if (finding.first.file == "kernel.cu")
        return finding.first.line;
    for (const auto& other : finding.others)
        if (other.file == "kernel.cu")
            return other.line;
    return 0;
}

CommonResult result_of_case(const std::string& submission, const LabResult& lab, const CaseResult& item) {
    CommonResult result{.outcome = outcome_of(item), .message = {}, .todo = {}, .example = {submission, item.name}};
    const std::string& message = item.message();
    if (const Finding* finding = item.error(); finding && item.verdict == Verdict::hazard) {
        result.todo = finding->todo;
        result.example.line = line_of(*finding);
    } else if (item.verdict == Verdict::compile_error) {
        const auto [line, what] = first_compile_error(lab.handed_in->compile_errors);
        result.example.line = line;
        result.message = without_details(what);
    } else {
        result.message = without_details(std::string_view(message).substr(0, message.find('\n')));
    }
    return result;
}

std::vector<Obstacle> obstacles(const std::vector<Result>& results) {
    std::map<std::string, Obstacle> all;
    for (const auto& result : results) {
        std::map<std::string, std::set<std::string>> here; // by name: labs
        for (const auto& lab : result.labs)
            for (const auto& item : lab.cases) {
                if (!is_failure(item))
                    continue;
                here[outcome_of(item)].insert(lab.number());
                for (const auto& finding : item.findings())
                    if (finding.severity == Severity::error)
                        here[sim::hazards::rule_name(finding)].insert(lab.number());
            }
        for (const auto& [name, labs] : here) {
            Obstacle& one = all[name];
            one.name = name;
            ++one.students;
            for (const auto& lab : labs)
                ++one.labs[lab];
        }
    }
    std::vector<Obstacle> sorted;
    for (auto& [name, one] : all)
        sorted.push_back(std::move(one));
    std::ranges::stable_sort(sorted, std::greater{}, &Obstacle::students);
    return sorted;
}

void count_points(LabOverview& view, const std::vector<const LabResult*>& labs) {
    for (const auto* lab : labs)
        view.possible = std::max(view.possible, lab->possible);
    view.step = std::max(1.0, std::ceil((view.possible + 1) / most_bars));
    view.bars.resize(static_cast<size_t>(view.possible / view.step) + 1);
    for (const auto* lab : labs) {
        const double points = std::clamp(lab->points, 0.0, view.possible);
        ++view.bars[static_cast<size_t>(points / view.step)];
    }
}

LabOverview lab_overview(const std::vector<Result>& results, const std::string& name) {
    LabOverview view;
    view.lab = name;
    std::vector<const LabResult*> counted;
    std::map<std::tuple<std::string, std::string, std::string>, CommonResult> wrong;
    for (const auto& result : results) {
        const LabResult* lab = result.of(name);
        if (!lab || is_excused(*lab))
            continue;
        (lab->handed_in ? view.handed_in : view.missing) += 1;
        if (lab->handed_in || !lab->person.empty())
            counted.push_back(lab);
        std::set<std::tuple<std::string, std::string, std::string>> here;
        std::set<std::string> todos;
        for (const auto& item : lab->cases) {
            if (!is_failure(item))
                continue;
            CommonResult one = result_of_case(result.submission, *lab, item);
            for (const auto& finding : item.findings())
                if (!finding.todo.empty() && finding.severity == Severity::error)
                    todos.insert(finding.todo);
            const std::tuple key{one.outcome, one.message, one.todo};
            if (here.insert(key).second)
                ++wrong.try_emplace(key, std::move(one)).first->second.students;
        }
        for (const auto& todo : todos)
            ++view.todos[todo].findings;
        if (lab->handed_in)
            for (const int number : lab->handed_in->untouched_todos.value_or(std::vector<int>{}))
                ++view.todos[fmt::format("TODO({})", number)].untouched;
    }
    count_points(view, counted);
    for (auto& [key, one] : wrong)
        view.results.push_back(std::move(one));
    std::ranges::stable_sort(view.results, std::greater{}, &CommonResult::students);
    view.results.resize(std::min(view.results.size(), most_results));
    return view;
}

std::vector<std::string> reasons(const Result& result, const std::vector<Pair>& alike) {
    std::vector<std::string> all, without_points, late, not_judged;
    size_t handed_in = 0, counted = 0;
    for (const auto& lab : result.labs) {
        if (is_excused(lab))
            continue;
        ++counted;
        handed_in += lab.handed_in || !lab.person.empty();
        if (lab.points <= 0)
            without_points.push_back(lab.number() + (lab.handed_in ? "" : " (not handed in)"));
        if (lab.handed_in && lab.handed_in->over_budget)
            late.push_back(lab.number());
        if (std::ranges::any_of(lab.cases, [](const auto& item) {
                return item.verdict == Verdict::internal || item.verdict == Verdict::incomplete;
            }))
            not_judged.push_back(lab.number());
    }
    if (result.undecided())
        all.push_back(fmt::format("no score, since these files name no lab: {}", fmt::join(result.unrecognised, ", ")));
    else if (counted && !handed_in)
        all.emplace_back("nothing was handed in");
    else if (counted && without_points.size() >= std::min<size_t>(2, counted))
        all.push_back(fmt::format("no points in {}", fmt::join(without_points, ", ")));
    if (!late.empty())
        all.push_back(fmt::format("the runs exceed the time for a lab in {}", fmt::join(late, ", ")));
    if (!not_judged.empty())
        all.push_back(fmt::format("not everything could be judged in {}", fmt::join(not_judged, ", ")));
    const std::string& id = result.submission;
    for (const auto& pair : alike)
        if (pair.first == id || pair.second == id)
            all.push_back(fmt::format("like {} in {} ({:.0f} % of the smaller one's own code)",
                                      pair.first == id ? pair.second : pair.first, pair.lab.substr(0, 2),
                                      100 * pair.share));
    return all;
}

} // namespace

Overview overview(const std::vector<Result>& results, const std::vector<Pair>& alike) {
    Overview view;
    view.course = results.empty() ? "asynclab" : results.front().course;
    view.submissions = results.size();
    view.accounting = accounting_of(results);
    view.obstacles = obstacles(results);
    for (const auto& lab : labs_of(results))
        view.labs.push_back(lab_overview(results, lab));
    for (const auto& result : results)
        if (auto why = reasons(result, alike); !why.empty())
            view.talks.push_back({result.submission, names_of(result), std::move(why)});
    return view;
}

std::string text(const CommonResult::Example& example) {
    return example.line ? fmt::format("{}, line {}", example.submission, example.line)
                        : fmt::format("{}, case \"{}\"", example.submission, example.item);
}

std::string text(const std::map<std::string, size_t>& labs) {
    std::string all;
    for (const auto& [lab, students] : labs)
        all += fmt::format("{}{}: {}", all.empty() ? "" : ", ", lab, students);
    return all;
}

std::string bar_label(const LabOverview& lab, size_t bar) {
    const double first = static_cast<double>(bar) * lab.step, last = std::min(first + lab.step - 1, lab.possible);
    return last <= first ? number(first) : fmt::format("{}–{}", number(first), number(last));
}

} // namespace grader
