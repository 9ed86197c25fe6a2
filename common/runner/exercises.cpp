#include "runner/exercises.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/problem.h"
#include "base/text.h"
#include "runner/commands/check.h"
#include "runner/exercise_texts.h"
#include "runner/language.h"
#include "runner/markdown.h"
#include "runner/names.h"
#include "runner/progress.h"
#include "runner/translation.h"

namespace runner {

using base::Problem, base::read_file, base::shown, base::trimmed;
using check::ListedLab;

namespace {

using Exercises = std::vector<const ListedLab*>;

// The lines of the comment at the head of a file, without its first line, which repeats the title.
std::string head_comment(std::string_view text) {
    std::string out;
    for (bool first = true; text.starts_with("//"); first = false) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (!first)
            out += std::string(line.substr(std::min<size_t>(line.size(), line.starts_with("// ") ? 3 : 2))) + '\n';
    }
    return std::string(trimmed(out));
}

// "drill" of "drills"
std::string one_of(const std::string& kind) {
    return kind.substr(0, kind.size() - 1);
}

struct Arguments {
    std::string name, answer;
    bool list = false, json = false, why = false;
};

class Exercising {
  public:
    Exercising(Context& context, const std::string& kind) : context_(context), kind_(kind), progress_(context.paths) {}

    void run(const Arguments& arguments) {
        const ListedLab* chosen = lab_or_exercise(arguments.name);
        lab_ = lab_of(chosen->name);
        all_ = exercises_of(lab_, kind_);
        if (all_.empty())
            throw Problem{fmt::format("lab {} has no {}", number_of(lab_), kind_), "./lab check " + number_of(lab_)};
        if (arguments.json)
            return list_as_json();
        if (arguments.list)
            return list();
        const ListedLab* one = chosen->is_exercise() ? chosen : next_exercise(progress_, all_);
        if (!one)
            return all_done();
        check(*one, arguments);
    }

  private:
    const ListedLab* lab_or_exercise(const std::string& name) const {
        if (name.empty()) {
            const ListedLab* next = next_lab(progress_);
            return next ? next : &check::labs().front();
        }
        const ListedLab& found = find_lab(name);
        if (found.is_exercise() && found.name.find("/" + kind_ + "/") == found.name.npos)
            throw Problem{fmt::format("{} is no {}", name, one_of(kind_)),
                          kind_ == "hunts" ? fmt::format("a hunt's number has an h: ./lab hunt {}.h1",
                                                         number_of(found.name).substr(0, 2))
                                           : "./lab check " + number_of(found.name)};
        return &found;
    }

    void list_as_json() const {
        auto list = nlohmann::json::array();
        for (const auto* one : all_) {
            const LabProgress so_far = progress_.get(one->name);
            list.push_back({{"name", one->name},
                            {"number", number_of(one->name)},
                            {"title", task_of(context_.paths, *one, language()).title},
                            {"concepts", one->lab->concepts},
                            {"file", context_.paths.source(one->name).string()},
                            {"points", so_far.points},
                            {"tried", so_far.tried},
                            {"passed", so_far.passed}});
        }
        fmt::print("{}\n", list.dump(2));
    }

    void list() const {
        for (const auto* one : all_) {
            const LabProgress so_far = progress_.get(one->name);
            fmt::print("{} {}  {}\n",
                       so_far.passed  ? "✓"
                       : so_far.tried ? "…"
                                      : " ",
                       number_of(one->name), task_of(context_.paths, *one, language()).title);
        }
    }

    void all_done() const {
        fmt::print("{}\n", said("You have passed all {} {} of lab {}. Again: ./lab {} {}", all_.size(), said(kind_),
                                number_of(lab_), one_of(kind_), number_of(all_.front()->name)));
        const bool drills = kind_ == "drills";
        if (drills && next_exercise(progress_, exercises_of(lab_, "hunts")))
            fmt::print("{}\n", said("next: {}", "./lab hunt " + number_of(lab_)));
        else
            fmt::print("{}\n",
                       said("next: {}", fmt::format("./lab {} {}", progress_.get(lab_).passed ? "quiz" : "check",
                                                    number_of(lab_))));
    }

    void check(const ListedLab& one, const Arguments& given) {
        const Task task = task_of(context_.paths, one, language());
        fmt::print("{}\n\n{}\n", shown(working_file(context_.paths, one.name)),
                   rendered(task.text, "  ", context_.width));
        std::fflush(stdout);
        CheckArguments arguments;
        arguments.labs = {number_of(one.name)};
        arguments.why = given.why;
        arguments.answer = given.answer;
        run_check(context_, arguments);
    }

    Context& context_;
    const std::string& kind_;
    Progress progress_;
    std::string_view lab_;
    Exercises all_;
};

} // namespace

Task task_of(const base::Paths& paths, const ListedLab& exercise, std::string_view language) {
    const ExerciseTexts texts = read_texts(paths, exercise.name, language);
    return {texts.title, texts.task.empty() ? head_comment(read_file(paths.source(exercise.name))) : texts.task};
}

void add_exercises(CLI::App& command, Context& context, const std::string& kind) {
    auto arguments = std::make_shared<Arguments>();
    command.add_option("LAB", arguments->name,
                       kind == "drills"
                           ? "A lab (03: its next open drill) or a drill (03.2); by default, of your next lab"
                           : "A lab (03: its next open hunt) or a hunt (03.h1); by default, of your next lab");
    command.add_flag("--why", arguments->why, "Say at once what is wrong and what to change");
    if (kind == "hunts")
        command.add_option("--answer", arguments->answer, "Your guess, instead of a question")->type_name("RULE:LINE");
    command.add_flag("--list", arguments->list, "Only list them");
    command.add_flag("--json", arguments->json, "List them as JSON");
    command.callback([&context, arguments, kind] { Exercising(context, kind).run(*arguments); });
}

} // namespace runner
