#include "grader/overrides.h"

#include <cmath>

#include <fmt/format.h>

#include "check/lab.h"
#include "grader/formats/escape.h"
#include "grader/submission.h"
#include "grader/toml.h"

namespace grader {

using nlohmann::json;

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
json line(const std::string& name, double points, bool passed) {
    return {{"name", name},     {"points", points},
            {"passed", passed}, {"verdict", passed ? "passed" : "not-given"},
            {"message", ""},    {"findings", json::array()},
            {"hidden", false},  {"person", true},
            {"output", ""},     {"call", ""},
            {"target", ""},     {"schedule", ""}};
}

std::string words(std::string_view what, const Override& decision) {
    return fmt::format("{} by {}{}{}", what, decision.by.empty() ? "a person" : decision.by,
                       decision.comment.empty() ? "" : ": ", decision.comment);
}

void apply(const Override& decision, json& lab) {
    if (!decision.points && !decision.excused) {
        if (!decision.comment.empty()) {
            lab["person"] = words("comment", decision);
            lab["cases"].push_back(line(words("comment", decision), 0, true));
        }
        return;
    }
    const double possible = decision.excused ? 0 : lab.at("possible").get<double>();
    const double points = decision.excused ? 0 : *decision.points;
    if (points > possible)
        throw base::Problem{fmt::format("overrides.toml gives {} points for lab {}, which has {}", number(points),
                                        lab.at("lab").get<std::string>(), number(possible)),
                            "weights are in course.toml; the points here are those of the lab's cases"};
    for (auto& item : lab.at("cases"))
        item["points"] = 0;
    lab["person"] = words(decision.excused ? "excused" : number(points) + " points given", decision);
    lab["cases"].push_back(line(lab.at("person"), points, true));
    if (possible > points)
        lab["cases"].push_back(line("not given", possible - points, false));
    if (decision.excused)
        lab["excused"] = true;
    lab["points"] = points;
    lab["possible"] = possible;
    lab["late_percent"] = 0.0;
    lab["score"] = points * lab.at("weight").get<double>();
    lab["out_of"] = possible * lab.at("weight").get<double>();
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

void Overrides::apply(json& result) const {
    const auto found = by_submission_.find(result.at("submission"));
    if (found == by_submission_.end())
        return;
    double score = 0, possible = 0;
    for (auto& lab : result.at("labs")) {
        const auto own = found->second.find(lab.at("lab")), any = found->second.find("");
        if (own != found->second.end())
            grader::apply(own->second, lab);
        else if (any != found->second.end())
            grader::apply(any->second, lab);
        score += lab.at("score").get<double>();
        possible += lab.at("out_of").get<double>();
    }
    result["score"] = std::round(score * 1e6) / 1e6;
    result["possible"] = std::round(possible * 1e6) / 1e6;
}

std::vector<std::string> Overrides::unknown(const std::vector<json>& results) const {
    std::vector<std::string> names;
    for (const auto& [name, decisions] : by_submission_) {
        const auto result = std::find_if(results.begin(), results.end(),
                                         [&, &name = name](const auto& one) { return one.at("submission") == name; });
        if (result == results.end()) {
            names.push_back(name);
            continue;
        }
        for (const auto& [lab, decision] : decisions)
            if (!lab.empty() && std::none_of(result->at("labs").begin(), result->at("labs").end(),
                                             [&, &lab = lab](const auto& one) { return one.at("lab") == lab; }))
                names.push_back(fmt::format("{}, lab {}", name, lab.substr(0, 2)));
    }
    return names;
}

} // namespace grader
