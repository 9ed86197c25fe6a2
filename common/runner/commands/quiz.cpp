#include <algorithm>
#include <atomic>
#include <future>
#include <iostream>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/problem.h"
#include "base/text.h"
#include "runner/command.h"
#include "runner/language.h"
#include "runner/markdown.h"
#include "runner/names.h"
#include "runner/progress.h"
#include "runner/question_bank.h"
#include "runner/questions.h"
#include "runner/translation.h"

namespace runner::quiz_command {

using base::Problem;

namespace {

struct QuizArguments {
    std::string lab, json, bank;
    uint64_t seed = 0;
    bool all = false;
};

std::string source_with_lines(const fs::path& file) {
    std::string out;
    std::string_view text;
    const std::string whole = base::read_file(file);
    int number = 0;
    for (text = whole; !text.empty();) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        out += fmt::format("  {:4} | {}\n", ++number, line);
    }
    return out;
}

const char* prompt(Answer kind) {
    switch (kind) {
    case Answer::number:
        return "a number: ";
    case Answer::numbers:
        return "numbers, separated by blanks: ";
    case Answer::text:
        return "what is printed: ";
    case Answer::choice:
        return "its number: ";
    case Answer::line:
        return "the line's number: ";
    case Answer::rule:
        return "the rule's name, or nothing: ";
    }
    return "";
}

class Quiz {
  public:
    Quiz(Context& context, const QuizArguments& arguments)
        : context_(context), arguments_(arguments), progress_(context.paths),
          random_(arguments.seed ? arguments.seed : std::random_device{}()) {
        const std::string& typed = arguments.lab;
        const size_t dot = typed.find('.');
        const ListedLab* next = typed.empty() ? next_lab(progress_) : nullptr;
        lab_ = typed.empty() ? (next ? *next : check::labs().front()).name : find_whole_lab(typed.substr(0, dot)).name;
        questions_ = read_questions(context.paths, lab_, language(), random_);
        if (dot != typed.npos)
            only_ = std::strtoul(typed.c_str() + dot + 1, nullptr, 10);
        if (questions_.empty())
            throw Problem{fmt::format("lab {} has no questions", number_of(lab_)), "./lab check " + number_of(lab_)};
        if (dot != typed.npos && (only_ == 0 || only_ > questions_.size()))
            throw Problem{fmt::format("there is no question '{}'", typed),
                          fmt::format("lab {} has questions 1 to {}", number_of(lab_), questions_.size())};
    }

    void run() {
        if (!arguments_.json.empty())
            return as_json();
        size_t asked = 0;
        for (size_t i = 0; i < questions_.size() && std::cin; ++i) {
            const Question& question = questions_[i];
            if (only_ ? i + 1 != only_ : !arguments_.all && progress_.get(name_of(question)).passed)
                continue;
            ask(question, i + 1);
            ++asked;
        }
        sum_up(asked);
    }

    /// With their answers, for elsewhere.
    std::vector<Answered> answered_all() const {
        std::vector<Answered> all;
        for (size_t i = 0; i < questions_.size(); ++i)
            if (const Question& question = questions_[i]; !only_ || i + 1 == only_)
                all.push_back({fmt::format("{}.{} {}", number_of(lab_), i + 1, question.name), question,
                               question.answer, question.program.empty() ? "" : base::read_file(question.program)});
        return all;
    }

    /// Asks the device where the file does not say the answer: as many programs at a time as there are processors.
    static void fill_in(std::vector<Answered>& all, const Context& context) {
        StatusLine status("the simulated device");
        std::atomic<size_t> next = 0, done = 0;
        std::vector<std::future<void>> workers;
        for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
            workers.push_back(std::async(std::launch::async, [&] {
                for (size_t at; (at = next++) < all.size(); ++done)
                    if (all[at].answer.empty())
                        all[at].answer = ask_the_device(context.paths, all[at].question);
            }));
        for (auto& worker : workers)
            while (worker.wait_for(std::chrono::milliseconds(200)) != std::future_status::ready)
                status.show(fmt::format("{} of {} questions", done.load(), all.size()));
        for (auto& worker : workers)
            worker.get();
    }

  private:
    using ListedLab = check::ListedLab;

    std::string name_of(const Question& question) const { return fmt::format("{}/questions/{}", lab_, question.name); }

    std::string answer_of(const Question& question) const {
        if (!question.answer.empty())
            return question.answer;
        StatusLine status("the simulated device");
        status.show(base::shown(question.program));
        return ask_the_device(context_.paths, question);
    }

    void as_json() const {
        static constexpr const char* names[] = {"number", "numbers", "text", "choice", "line", "rule"};
        auto list = nlohmann::json::array();
        for (size_t i = 0; i < questions_.size(); ++i)
            if (const Question& question = questions_[i]; !only_ || i + 1 == only_)
                list.push_back({{"name", question.name},
                                {"number", fmt::format("{}.{}", number_of(lab_), i + 1)},
                                {"kind", names[static_cast<size_t>(question.kind)]},
                                {"text", question.text},
                                {"choices", question.choices},
                                {"program", question.program.empty() ? "" : base::read_file(question.program)},
                                {"answer", answer_of(question)},
                                {"why", question.why},
                                {"passed", progress_.get(name_of(question)).passed}});
        const std::string text = list.dump(2) + "\n";
        if (arguments_.json == "-")
            std::fputs(text.c_str(), stdout);
        else
            base::write_file(arguments_.json, text);
    }

    void ask(const Question& question, size_t number) {
        fmt::print("{}.{}  ({} of {})\n\n{}", number_of(lab_), number, number, questions_.size(),
                   rendered(question.text, "  ", context_.width));
        if (!question.program.empty()) {
            std::string values;
            for (const auto& [name, value] : question.defines)
                values += fmt::format(" -D{}={}", name, value);
            fmt::print("\n  {}{}\n{}", base::shown(question.program), values, source_with_lines(question.program));
        }
        for (size_t i = 0; i < question.choices.size(); ++i)
            fmt::print("{}{}", i ? "" : "\n",
                       rendered(fmt::format("{}. {}", i + 1, question.choices[i]), "  ", context_.width));
        fmt::print("\n");
        const std::string answer = answered(question);
        if (!answer.empty())
            fmt::print("\n  {}\n", said("The answer is {}.", answer));
        if (std::cin)
            fmt::print("\n{}\n", rendered(question.why, "  ", context_.width));
    }

    // Asks until the answer is right. Returns the right one if the learner gives up, or if input ends.
    std::string answered(const Question& question) {
        std::string right;
        for (std::string typed;;) {
            fmt::print("{}", said(prompt(question.kind)));
            std::fflush(stdout);
            if (!std::getline(std::cin, typed)) {
                fmt::print("\n");
                return {};
            }
            if (right.empty())
                right = answer_of(question);
            LabProgress& so_far = progress_[name_of(question)];
            if (base::trimmed(typed).empty())
                return right;
            try {
                so_far.tried = true;
                so_far.passed = is_right(question, typed, right) || so_far.passed;
                if (is_right(question, typed, right)) {
                    progress_.save();
                    fmt::print("{}\n", said("Right."));
                    return {};
                }
                fmt::print("{}\n", said("No. Try again, or press Enter to see the answer."));
            } catch (const Problem& problem) {
                fmt::print("{}\n", said("{}: {}.", translated(problem.what), translated(problem.next)));
            }
        }
    }

    void sum_up(size_t asked) const {
        size_t passed = 0;
        for (const auto& question : questions_)
            passed += progress_.get(name_of(question)).passed;
        fmt::print("{}\n",
                   said("{} of {} questions of lab {} answered right.", passed, questions_.size(), number_of(lab_)));
        if (!asked)
            fmt::print("{}\n", said("Again, with other numbers: ./lab quiz {} --all", number_of(lab_)));
        else if (const auto* drill = next_exercise(progress_, exercises_of(lab_, "drills")))
            fmt::print("{}\n", said("next: {}", "./lab drill " + number_of(drill->name)));
    }

    Context& context_;
    const QuizArguments& arguments_;
    Progress progress_;
    std::mt19937_64 random_;
    std::string_view lab_;
    std::vector<Question> questions_;
    size_t only_ = 0; ///< the number of the only question to ask; 0: all
};

// What no platform can do is draw other values each time: the seed has drawn them. By default the same ones each time,
// so that nvcc's cache knows the programs.
void export_questions(Context& context, const QuizArguments& arguments) {
    std::vector<Answered> all;
    for (const auto& lab : check::labs()) {
        std::mt19937_64 random;
        if (!arguments.lab.empty() ? &find_whole_lab(arguments.lab) != &lab
                                   : read_questions(context.paths, lab.name, language(), random).empty())
            continue;
        QuizArguments one = arguments;
        one.seed = std::max<uint64_t>(one.seed, 1);
        one.lab = number_of(lab.name);
        const auto more = Quiz(context, one).answered_all();
        all.insert(all.end(), more.begin(), more.end());
    }
    Quiz::fill_in(all, context);
    write_question_bank(arguments.bank, all);
    fmt::print("{} questions are in {}\n", all.size(), base::shown(arguments.bank));
}

void add(CLI::App& command, Context& context) {
    auto arguments = std::make_shared<QuizArguments>();
    command.add_option("LAB", arguments->lab, "A lab (05) or one of its questions (05.2); by default, your next lab");
    command.add_flag("--all", arguments->all, "Also those that you have answered");
    command.add_option("--seed", arguments->seed, "Of the numbers in the questions; by default other ones each time");
    add_json(command, arguments->json, "The questions with their answers");
    command
        .add_option("--export", arguments->bank,
                    "All labs' questions, or one lab's, with answers: a .gift, .xml (Moodle) or .zip (QTI 2.1) file")
        ->type_name("FILE");
    command.callback([&context, arguments] {
        if (arguments->bank.empty())
            Quiz(context, *arguments).run();
        else
            export_questions(context, *arguments);
    });
}

} // namespace

LAB_COMMAND = {
    .name = "quiz",
    .help = "Predict what the device does, and see whether you are right",
    .add = add,
    .completion = Completion::labs,
};

} // namespace runner::quiz_command
