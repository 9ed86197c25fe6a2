#include "runner/course.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/problem.h"
#include "runner/names.h"

namespace runner {

std::string Step::id() const {
    const std::string number = number_of(lab->name);
    return kind == Kind::chapter ? number + " chapter" : kind == Kind::quiz ? number + " quiz" : number;
}

std::vector<Step> course(const base::Paths& paths) {
    std::vector<Step> steps;
    for (const check::ListedLab& lab : check::labs()) {
        steps.push_back({Step::Kind::chapter, &lab});
        for (const auto* drill : exercises_of(lab.name, "drills"))
            steps.push_back({Step::Kind::drill, drill});
        steps.push_back({Step::Kind::lab, &lab});
        if (fs::exists(paths.lab(lab.name) / "questions.toml"))
            steps.push_back({Step::Kind::quiz, &lab});
        for (const auto* hunt : exercises_of(lab.name, "hunts"))
            steps.push_back({Step::Kind::hunt, hunt});
    }
    return steps;
}

Bookmark::Bookmark(const base::Paths& paths) : file_(paths.state / "learn.json") {
    if (!fs::exists(file_))
        return;
    const auto json = nlohmann::json::parse(base::read_file(file_), nullptr, false);
    if (!json.is_object() || !json.contains("at") || !json["at"].is_string() || !json.contains("done") ||
        !json["done"].is_array())
        return;
    at = json["at"].get<std::string>();
    for (const auto& one : json["done"])
        if (one.is_string())
            done.insert(one.get<std::string>());
}

void Bookmark::save() const {
    try {
        base::write_file(file_, nlohmann::json{{"at", at}, {"done", done}}.dump(2) + "\n");
    } catch (const base::Problem&) { // the next start begins elsewhere, and that is all
    }
}

bool is_done(const Step& step, const Bookmark& bookmark, const Progress& progress) {
    return step.has_file() ? progress.get(step.lab->name).passed : bookmark.done.contains(step.id());
}

size_t place_in(const std::vector<Step>& steps, const Bookmark& bookmark, const Progress& progress) {
    const auto place = [&](auto&& wanted) { return size_t(std::ranges::find_if(steps, wanted) - steps.begin()); };
    if (const size_t at = place([&](const Step& step) { return step.id() == bookmark.at; }); at < steps.size())
        return at;
    const size_t open = place([&](const Step& step) { return !is_done(step, bookmark, progress); });
    return open < steps.size() ? open : 0;
}

} // namespace runner
