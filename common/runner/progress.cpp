#include "runner/progress.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/paths.h"
#include "base/problem.h"

namespace runner {

using base::Paths, base::Problem, base::read_file, base::write_file;

using nlohmann::json;

Progress::Progress(const Paths& paths) : file_(paths.state / "state.json") {
    try {
        const json state = json::parse(read_file(file_)); // must outlive the loop: items() refers to it
        for (const auto& [name, lab] : state.at("labs").items())
            labs_[name] = {lab.value("points", 0),     lab.value("possible", 0),  lab.value("hints", 0),
                           lab.value("passed", false), lab.value("tried", false), lab.value("shown", false)};
    } catch (const Problem&) {
    } catch (const json::exception&) {
    }
}

LabProgress Progress::get(std::string_view lab) const {
    const auto found = labs_.find(std::string(lab));
    return found == labs_.end() ? LabProgress{} : found->second;
}

void Progress::save() const {
    json labs = json::object();
    for (const auto& [name, lab] : labs_)
        labs[name] = {{"points", lab.points}, {"possible", lab.possible}, {"hints", lab.hints},
                      {"passed", lab.passed}, {"tried", lab.tried},       {"shown", lab.shown}};
    try {
        write_file(file_, json{{"labs", labs}}.dump(2) + "\n");
    } catch (const Problem&) {
    } catch (const fs::filesystem_error&) {
    }
}

const check::ListedLab* next_lab(const Progress& progress, std::string_view after) {
    const auto& labs = check::labs();
    size_t begin = 0;
    for (size_t i = 0; i < labs.size(); ++i)
        if (after.empty() ? progress.get(labs[i].name).passed : labs[i].name == after)
            begin = i + 1;
    for (size_t i = 0; i < labs.size(); ++i)
        if (const auto& lab = labs[(begin + i) % labs.size()]; !progress.get(lab.name).passed)
            return &lab;
    return nullptr;
}

const check::ListedLab* next_exercise(const Progress& progress, const std::vector<const check::ListedLab*>& exercises,
                                      std::string_view after) {
    const auto here = std::ranges::find(exercises, after, &check::ListedLab::name);
    const size_t begin = here == exercises.end() ? 0 : static_cast<size_t>(here - exercises.begin()) + 1;
    for (size_t i = 0; i < exercises.size(); ++i)
        if (const auto* one = exercises[(begin + i) % exercises.size()]; !progress.get(one->name).passed)
            return one;
    return nullptr;
}

} // namespace runner
