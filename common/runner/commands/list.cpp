#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/problem.h"
#include "base/text.h"
#include "check/suite.h"
#include "runner/command.h"
#include "runner/hints.h"
#include "runner/language.h"
#include "runner/names.h"
#include "runner/progress.h"
#include "runner/questions.h"

namespace runner::list_command {

using base::Problem;

namespace {

std::string concepts_of(const check::Lab& lab) {
    std::string text;
    for (const auto& one : lab.concepts)
        text += (text.empty() ? "" : ", ") + std::string(one);
    return text;
}

int possible(const check::ListedLab& lab) {
    int points = 0;
    for (const auto& one : check::cases(lab.name))
        points += one.points;
    return points;
}

/// How many hints the lab has; 0 in a tree that was handed out without its exercises.toml.
size_t stages_of_hints(const Context& context, const check::ListedLab& lab) {
    try {
        return read_hints(context.paths, lab.name).size();
    } catch (const Problem&) {
        return 0;
    }
}

struct Count {
    size_t passed = 0, all = 0;
};

Count exercises(const Progress& progress, std::string_view lab, std::string_view kind) {
    Count count;
    for (const auto* one : exercises_of(lab, kind)) {
        ++count.all;
        count.passed += progress.get(one->name).passed;
    }
    return count;
}

Count questions(const Context& context, const Progress& progress, std::string_view lab) {
    std::mt19937_64 random;
    Count count;
    for (const auto& one : read_questions(context.paths, lab, language(), random)) {
        ++count.all;
        count.passed += progress.get(fmt::format("{}/questions/{}", lab, one.name)).passed;
    }
    return count;
}

void list_as_json(const Context& context, const Progress& progress) {
    auto all = nlohmann::json::array();
    for (const auto& lab : check::labs()) {
        const LabProgress so_far = progress.get(lab.name);
        auto targets = nlohmann::json::array();
        for (const auto& target : lab.lab->targets)
            targets.push_back(target.arch());
        const Count drills = exercises(progress, lab.name, "drills"), hunts = exercises(progress, lab.name, "hunts"),
                    asked = questions(context, progress, lab.name);
        all.push_back({{"lab", lab.name},
                       {"title", lab.lab->title},
                       {"concepts", lab.lab->concepts},
                       {"minimum_sm", lab.lab->minimum_sm},
                       {"targets", targets},
                       {"file", (context.paths.source(lab.name)).string()},
                       {"tried", so_far.tried},
                       {"passed", so_far.passed},
                       {"points", so_far.points},
                       {"possible", possible(lab)},
                       {"drills", drills.all},
                       {"drills_passed", drills.passed},
                       {"hunts", hunts.all},
                       {"hunts_passed", hunts.passed},
                       {"questions", asked.all},
                       {"questions_right", asked.passed},
                       {"hints_seen", so_far.hints},
                       {"hints", stages_of_hints(context, lab)}});
    }
    fmt::print("{}\n", all.dump(2));
}

void list(const Context& context, const Progress& progress) {
    size_t widest = 0;
    for (const auto& lab : check::labs())
        widest = std::max(widest, lab.name.size());
    for (const auto& lab : check::labs()) {
        const LabProgress so_far = progress.get(lab.name);
        std::string line =
            fmt::format("{:<{}} {:>5}", lab.name, widest,
                        fmt::format("{}/{}", so_far.tried ? std::to_string(so_far.points) : "-", possible(lab)));
        for (const char* kind : {"drills", "hunts"})
            if (const Count count = exercises(progress, lab.name, kind); count.all)
                line += fmt::format("  {} {}/{}", kind, count.passed, count.all);
        const size_t width = context.width ? context.width - 2 : SIZE_MAX;
        if (width > line.size() + 30)
            line += fmt::format("  sm_{}+  {}", lab.lab->minimum_sm, concepts_of(*lab.lab));
        line = base::shortened(line, width);
        fmt::print("{} {}\n", so_far.passed ? "✓" : so_far.tried ? "…" : " ", line);
    }
}

void add(CLI::App& command, Context& context) {
    auto json = std::make_shared<bool>();
    command.add_flag("--json", *json, "As JSON");
    command.callback([&context, json] {
        const Progress progress(context.paths);
        *json ? list_as_json(context, progress) : list(context, progress);
    });
}

} // namespace

LAB_COMMAND = {
    .name = "list",
    .help = "List the labs, your points, and the GPU that each is for",
    .add = add,
};

} // namespace runner::list_command
