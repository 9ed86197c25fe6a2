#include "grader/overrides.h"

#include <algorithm>

#include <fmt/format.h>

#include "check/lab.h"
#include "grader/lab_names.h"
#include "grader/result/text.h"
#include "grader/toml.h"

namespace grader {

namespace {

constexpr const char* example = "[alice.03] points = 12, comment = \"shown in person\"";

// True: the key is one of a decision.
bool set(Override& decision, std::string_view key, const toml::node& value, const fs::path& file) {
    if (key == "points")
        decision.points = toml_file::number(value, file, 0, 1e6);
    else if (key == "excuse")
        decision.excused = toml_file::truth_of(value, file, "excuse = true");
    else if (key == "comment")
        decision.comment = toml_file::text_of(value, file, "comment = \"shown in person\"");
    else if (key == "by")
        decision.by = toml_file::text_of(value, file, "by = \"AK\"");
    else
        return false;
    return true;
}

std::map<std::string, Override> decisions_of(const toml::node& node, const fs::path& file) {
    std::map<std::string, Override> decisions;
    std::vector<std::string> names;
    for (const auto& lab : check::labs())
        names.emplace_back(lab.name);
    for (const auto& [key, value] : toml_file::table_of(node, file, example)) {
        if (key != "points" && set(decisions[""], key.str(), value, file))
            continue;
        const auto lab = lab_named(key.str(), names);
        if (!lab)
            toml_file::fail(value, file, fmt::format("there is no lab '{}': {}", key.str(), example));
        for (const auto& [inner, decided] : toml_file::table_of(value, file, example))
            if (!set(decisions[*lab], inner.str(), decided, file))
                toml_file::fail(decided, file,
                                fmt::format("a lab has points, excuse, comment and by, no '{}'", inner.str()));
    }
    return decisions;
}

// A line in the list of cases: every format shows those.
CaseResult line(const std::string& name, double points, bool passed) {
    return {.name = name,
            .points = points,
            .earned = passed ? points : 0,
            .passed = passed,
            .verdict = passed ? check::Verdict::passed : check::Verdict::not_given,
            .run = CaseRun{},
            .by_person = true};
}

std::string words(std::string_view what, const Override& decision) {
    return fmt::format("{} by {}{}{}", what, decision.by.empty() ? "a person" : decision.by,
                       decision.comment.empty() ? "" : ": ", decision.comment);
}

void apply(const Override& decision, LabResult& lab) {
    if (!decision.points && !decision.excused) {
        if (!decision.comment.empty()) {
            lab.person = words("comment", decision);
            lab.cases.push_back(line(lab.person, 0, true));
        }
        return;
    }
    const double possible = decision.excused ? 0 : lab.possible;
    const double points = decision.excused ? 0 : *decision.points;
    if (points > possible)
        throw base::Problem{fmt::format("overrides.toml gives {} points for lab {}, which has {}", number(points),
                                        lab.lab, number(possible)),
                            "weights are in course.toml; the points here are those of the lab's cases"};
    for (auto& item : lab.cases)
        item.points = item.earned = 0;
    lab.person = words(decision.excused ? "excused" : number(points) + " points given", decision);
    lab.cases.push_back(line(lab.person, points, true));
    if (possible > points)
        lab.cases.push_back(line("not given", possible - points, false));
    lab.excused = decision.excused;
    lab.points = points;
    lab.possible = possible;
    lab.late_percent = 0;
    lab.score = points * lab.weight;
    lab.out_of = possible * lab.weight;
}

} // namespace

Overrides Overrides::beside(const fs::path& results) {
    Overrides all;
    const fs::path near = fs::is_directory(results) ? results : results.parent_path();
    for (const fs::path& folder : {near, fs::weakly_canonical(near).parent_path()})
        if (const fs::path file = folder / "overrides.toml"; fs::is_regular_file(file)) {
            const toml::table table = toml_file::read(file);
            for (const auto& [name, node] : table)
                all.by_submission_[std::string(name.str())] = decisions_of(node, file);
            break;
        }
    return all;
}

void Overrides::apply(Result& result) const {
    const auto found = by_submission_.find(result.submission);
    if (found == by_submission_.end())
        return;
    for (auto& lab : result.labs) {
        const auto own = found->second.find(lab.lab), any = found->second.find("");
        if (own != found->second.end())
            grader::apply(own->second, lab);
        else if (any != found->second.end())
            grader::apply(any->second, lab);
    }
    result.add_up();
}

std::vector<std::string> Overrides::unknown(const std::vector<Result>& results) const {
    std::vector<std::string> names;
    for (const auto& [name, decisions] : by_submission_) {
        const auto result = std::ranges::find(results, name, &Result::submission);
        if (result == results.end()) {
            names.push_back(name);
            continue;
        }
        for (const auto& [lab, decision] : decisions)
            if (!lab.empty() && !result->of(lab))
                names.push_back(fmt::format("{}, lab {}", name, lab.substr(0, 2)));
    }
    return names;
}

} // namespace grader
