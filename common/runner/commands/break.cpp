// Takes one wait, fence, commit, arrival or barrier out of a kernel that works, and asks what the device will say.
#include <iostream>
#include <random>
#include <set>

#include <fmt/format.h>
#include <unistd.h>

#include "check/wrap.h"
#include "runner/checker.h"
#include "runner/command.h"
#include "runner/names.h"
#include "runner/plausible.h"
#include "runner/removal.h"
#include "runner/report.h"
#include "sim/rules/rule.h"

namespace runner {
namespace {

using nlohmann::json;
using Random = std::mt19937_64;

constexpr std::string_view nothing = "nothing", wrong_result = "wrong-result";

struct BreakArguments {
    std::string lab, file, answer;
    bool solutions = false, show = false, json = false;
    size_t which = 0;
    std::optional<uint64_t> seed;
};

/// What a line of the source asks for, in the PTX of one target: several instructions where nvcc has unrolled a loop.
struct Place {
    Skip skip;
    std::string mnemonic;
    uint32_t line = 0;
};

struct Guess {
    std::string rule;  ///< or `nothing`, `wrong_result`
    uint32_t line = 0; ///< 0: not asked
};

std::vector<Place> places(const Compiler& compiler, const check::ListedLab& lab, const fs::path& source) {
    const Compiled compiled = compiler.lab(source, lab.lab->targets);
    std::vector<Place> all;
    for (const auto& target : lab.lab->targets) {
        const size_t first = all.size();
        size_t index = 0;
        for (const auto& item : removables(read_file(compiled.ptx.at(target.arch())))) {
            const size_t number = index++;
            if (item.line == 0 || fs::path(item.file).filename() != source.filename())
                continue;
            const auto same = [&](const Place& place) {
                return place.line == item.line && place.mnemonic == item.mnemonic;
            };
            auto found = std::find_if(all.begin() + ptrdiff_t(first), all.end(), same);
            if (found == all.end())
                found = all.insert(all.end(), {{target.arch(), {}}, item.mnemonic, item.line});
            found->skip.indices.push_back(number);
        }
    }
    return all;
}

std::string title(std::string_view answer) {
    if (answer == nothing)
        return "the kernel passes without it";
    if (answer == wrong_result)
        return "no rule is broken, and the lab fails all the same";
    const auto* rule = sim::hazards::find_rule(answer);
    return std::string(rule ? rule->title : "");
}

/// The game: what was taken out, what came of it, and what may be answered.
class Puzzle {
  public:
    Puzzle(const LabReport& report, const Place& place, const std::vector<std::string>& mnemonics, Random& random)
        : report_(report) {
        if (const CaseReport* failure = report.first_failure()) {
            rule_ = wrong_result;
            shown_ = *failure;
        }
        for (const auto& item : report.cases)
            for (const auto& finding : item.result.findings)
                if (finding.at("severity") == "error" && !item.passed())
                    collect(finding);
        // Of several, the one that tells most: what one would expect, else what the check says first.
        for (const auto& finding : shown_.result.findings)
            if (!is_rule(rule_) && finding.at("severity") == "error")
                rule_ = finding.at("rule");
        for (const std::string_view rule : plausible_rules(place.mnemonic, mnemonics))
            if (lines_.contains(std::string(rule))) {
                rule_ = rule;
                break;
            }
        show_case();
        // The answer, three that are not, and the two that always may be.
        auto others = plausible_rules(place.mnemonic, mnemonics);
        std::ranges::shuffle(others, random);
        std::erase_if(others, [&](std::string_view rule) { return lines_.contains(std::string(rule)); });
        for (size_t i = 0; i < std::min<size_t>(others.size(), is_rule(rule_) ? 3 : 4); ++i)
            choices_.emplace_back(others[i]);
        if (is_rule(rule_))
            choices_.push_back(rule_);
        std::ranges::sort(choices_);
        choices_.emplace_back(wrong_result);
        choices_.emplace_back(nothing);
    }

    static bool is_rule(std::string_view answer) { return answer != nothing && answer != wrong_result; }
    const std::string& rule() const { return rule_; }
    const std::vector<std::string>& choices() const { return choices_; }
    /// Other rules that other cases or threads have met are right as well.
    bool right(const Guess& guess) const { return guess.rule == rule_ || lines_.contains(guess.rule); }
    /// What a report about the guessed rule, if it is one that came, points to.
    const std::set<uint32_t>& lines(const Guess& guess) const {
        static const std::set<uint32_t> none;
        const auto found = lines_.find(right(guess) ? guess.rule : rule_);
        return found == lines_.end() ? none : found->second;
    }
    const LabReport& report() const { return report_; }
    /// A case that fails with rule(), that finding first; none if all cases pass.
    const CaseReport* failure() const { return report_.first_failure() ? &shown_ : nullptr; }

    json to_json() const {
        json offered = json::array(), reported = json::array();
        for (const auto& choice : choices_)
            offered.push_back({{"answer", choice}, {"title", title(choice)}});
        for (const auto& [rule, lines] : lines_)
            reported.push_back({{"rule", rule}, {"lines", lines}});
        return {{"choices", offered}, {"answer", rule_}, {"reported", reported}, {"check", runner::to_json(report_)}};
    }

  private:
    void show_case() {
        const auto fits = [&](const json& finding) {
            return finding.at("rule") == rule_ && finding.at("severity") == "error";
        };
        for (const auto& item : report_.cases)
            if (!item.passed() && std::ranges::any_of(item.result.findings, fits)) {
                shown_ = item;
                break;
            }
        auto& findings = shown_.result.findings;
        std::stable_partition(findings.begin(), findings.end(), fits);
    }

    void collect(const json& finding) {
        auto& lines = lines_[finding.at("rule")];
        auto add = [&](const json& place) {
            const std::string file = place.at("file");
            if (fs::path(file).filename() == report_.source.filename() && place.at("line") != 0)
                lines.insert(place.at("line").get<uint32_t>());
        };
        add(finding.at("first"));
        for (const auto& other : finding.at("others"))
            add(other);
    }

    const LabReport& report_;
    CaseReport shown_;
    std::string rule_{nothing};
    std::map<std::string, std::set<uint32_t>> lines_; // of the rules that were reported
    std::vector<std::string> choices_;
};

void show_place(const fs::path& source, const Place& place, const Context& context) {
    constexpr uint32_t around = 18;
    const char *red = context.colour ? "\033[1;31m" : "", *dim = context.colour ? "\033[2m" : "",
               *end = context.colour ? "\033[0m" : "";
    std::istringstream text(read_file(source));
    std::string line;
    for (uint32_t number = 1; std::getline(text, line) && number <= place.line + around; ++number) {
        if (number + around < place.line)
            continue;
        const bool here = number == place.line;
        fmt::print("  {}{:4} |{} {}\n", dim, number, end,
                   context.width > 9 ? check::shortened(line, context.width - 9) : line);
        if (here)
            fmt::print("       {}|{} {}{}^ skipped: {}{}{}\n", dim, end,
                       std::string(line.find_first_not_of(" \t"), ' '), red, place.mnemonic,
                       place.skip.indices.size() > 1 ? fmt::format(", {} copies of it", place.skip.indices.size()) : "",
                       end);
    }
}

std::string known_answer(const std::string& text, const std::vector<std::string>& choices) {
    if (!text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); })) {
        const size_t number = std::strtoul(text.c_str(), nullptr, 10);
        return number >= 1 && number <= choices.size() ? choices[number - 1] : "";
    }
    return text == nothing || text == wrong_result || sim::hazards::find_rule(text) ? text : "";
}

std::optional<uint32_t> line_number(const std::string& text) {
    if (text.empty() || text.size() > 6 || !std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); }))
        return {};
    return uint32_t(std::stoul(text));
}

/// RULE or RULE:LINE
Guess guess_from(const std::string& text, const std::vector<std::string>& choices) {
    const size_t colon = text.find(':');
    const std::string rule = known_answer(text.substr(0, colon), choices);
    if (rule.empty()) {
        std::vector<std::string> names{std::string(nothing), std::string(wrong_result)};
        for (const auto* known : sim::hazards::rules())
            names.emplace_back(known->name);
        const std::string near = nearest(text.substr(0, colon), names);
        throw Problem{fmt::format("--answer: there is no rule '{}'", text.substr(0, colon)),
                      near.empty() ? "./lab explain lists all rules" : fmt::format("did you mean {}?", near)};
    }
    if (colon == std::string::npos)
        return {rule};
    const auto line = line_number(text.substr(colon + 1));
    if (!line)
        throw Problem{fmt::format("--answer: '{}' is not a line", text.substr(colon + 1)), "--answer " + rule + ":42"};
    return {rule, *line};
}

/// Empty at the end of the input, or where nothing was typed.
std::string typed(std::string_view prompt) {
    fmt::print("{}", prompt);
    std::fflush(stdout);
    std::string line;
    if (!std::getline(std::cin, line) || !isatty(0)) // Enter is not seen
        fmt::print("\n");
    const size_t begin = line.find_first_not_of(" \t\r");
    return begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

std::optional<Guess> asked(const std::vector<std::string>& choices) {
    Guess guess;
    while (guess.rule.empty()) {
        const std::string text = typed(fmt::format("1–{}, or Enter to see: ", choices.size()));
        if (text.empty())
            return {};
        guess.rule = known_answer(text, choices);
        if (guess.rule.empty())
            fmt::print("'{}' is none of them.\n", text);
    }
    for (std::string text; Puzzle::is_rule(guess.rule) && guess.line == 0;) {
        if ((text = typed("In which line? ")).empty())
            break;
        guess.line = line_number(text).value_or(0);
        if (!guess.line)
            fmt::print("'{}' is not the number of a line.\n", text);
    }
    return guess;
}

void show_outcome(const Puzzle& puzzle, const std::optional<Guess>& guess, const Context& context) {
    const bool right = guess && puzzle.right(*guess);
    const std::string it = fmt::format("{}: {}.", puzzle.rule(), title(puzzle.rule()));
    const std::string verdict = !guess  ? "It is " + it
                                : right ? fmt::format("✓ {} it is: {}.", guess->rule, title(guess->rule))
                                        : fmt::format("✗ Not {}, but {}", guess->rule, it);
    fmt::print("{}", check::wrapped(verdict, "", context.width));
    if (guess && guess->line) {
        const auto& lines = puzzle.lines(*guess);
        fmt::print("{} line {}{}\n", lines.contains(guess->line) ? "✓" : "✗", guess->line,
                   lines.empty()                 ? ": the report names none"
                   : lines.contains(guess->line) ? ""
                                                 : fmt::format(": the report names {}", fmt::join(lines, ", ")));
    }
    if (const auto* failure = puzzle.failure()) {
        fmt::print("{}", what_happened(*failure, puzzle.report(), context.look()));
    } else {
        fmt::print("\n{}",
                   check::wrapped("All cases pass without it: what it orders is ordered by something else as "
                                  "well, or nothing here depends on it. That holds for this kernel and these sizes.",
                                  "", context.width));
    }
    const auto* rule = sim::hazards::find_rule(puzzle.rule());
    if (rule && (!guess || !right))
        fmt::print("\n{}", check::wrapped(fmt::format("Why {}: {}", rule->name, rule->why), "", context.width));
    if (guess && !right)
        if (const auto* other = sim::hazards::find_rule(guess->rule))
            fmt::print("\n{}", check::wrapped(fmt::format("When {}: {}", other->name, other->why), "", context.width));
}

void run_break(Context& context, const BreakArguments& arguments) {
    const auto& lab = find_lab(arguments.lab);
    const std::string number = number_of(lab.name);
    const fs::path given = !arguments.file.empty() ? fs::path(arguments.file)
                           : arguments.solutions   ? context.paths.solution(lab.name)
                                                   : context.paths.lab(lab.name) / "kernel.cu";
    if (!fs::is_regular_file(given))
        throw Problem{"there is no file " + shown(given),
                      arguments.file.empty() ? "./lab reset " + number : "check the path"};
    const fs::path source = fs::canonical(given);
    const std::string whose = !arguments.file.empty() ? " --file " + arguments.file
                              : arguments.solutions   ? " --solutions"
                                                      : "";

    StatusLine status(number_of(lab.name));
    const auto progress = [&](std::string_view what) { status.show(what); };
    Workers workers;
    isolation::Box box{.readable = {"/"}};
    if (isolation::why_not(isolation::Level::landlock).empty())
        box.level = isolation::Level::landlock;
    const Compiler compiler(context.paths, box);
    if (!check_lab(compiler, workers, lab, source, {}, progress).passed())
        throw Problem{fmt::format("{} does not pass yet, and only a kernel that works can be broken", shown(source)),
                      "./lab check " + number + whose, 1};
    const auto all = places(compiler, lab, source);
    if (all.empty())
        throw Problem{fmt::format("the kernels of {} have no wait, fence, commit, arrival or barrier", shown(source)),
                      "another lab: ./lab break 01", 1};
    if (arguments.which > all.size())
        throw Problem{fmt::format("there are {} places to break", all.size()), "--which 1"};
    Random random(arguments.seed.value_or(std::random_device{}()));
    const size_t which = arguments.which ? arguments.which : 1 + random() % all.size();
    const Place& place = all[which - 1];
    CheckOptions options;
    options.skip = place.skip;
    const LabReport report = check_lab(compiler, workers, lab, source, options, progress);
    status.clear();
    std::vector<std::string> mnemonics;
    for (const auto& one : all)
        mnemonics.push_back(one.mnemonic);
    const Puzzle puzzle(report, place, mnemonics, random);

    std::optional<Guess> guess;
    if (!arguments.answer.empty())
        guess = guess_from(arguments.answer, puzzle.choices());
    if (guess && !puzzle.right(*guess))
        context.exit_code = 1;
    if (arguments.json) {
        json out = puzzle.to_json();
        out["lab"] = lab.name;
        out["which"] = which;
        out["places"] = all.size();
        out["skipped"] = {{"mnemonic", place.mnemonic},
                          {"line", place.line},
                          {"target", place.skip.arch},
                          {"instructions", place.skip.indices.size()}};
        if (guess)
            out["guess"] = {{"rule", guess->rule},
                            {"right", puzzle.right(*guess)},
                            {"line", guess->line ? json(guess->line) : json()},
                            {"line_right", guess->line ? json(puzzle.lines(*guess).contains(guess->line)) : json()}};
        fmt::print("{}\n", out.dump(2));
        return;
    }
    const std::string what = fmt::format("{} {}: the device skips one instruction of your kernel ({}; place {} of {}).",
                                         number, lab.lab->title, place.skip.arch, which, all.size());
    fmt::print("{}\n", check::wrapped(what, "", context.width));
    show_place(source, place, context);
    fmt::print("\nWhat will the device report?\n");
    for (size_t i = 0; i < puzzle.choices().size(); ++i)
        fmt::print(
            "{}", check::wrapped(fmt::format("  {}  {:<27} {}", i + 1, puzzle.choices()[i], title(puzzle.choices()[i])),
                                 "", context.width));
    if (!guess && !arguments.show)
        guess = asked(puzzle.choices());
    fmt::print("\n");
    show_outcome(puzzle, guess, context);
    fmt::print("\nYour file is as it was. This one again: ./lab break {}{} --which {}\n", number, whose, which);
}

} // namespace

void add_break(CLI::App& app, Context& context) {
    auto arguments = std::make_shared<BreakArguments>();
    auto* command =
        app.add_subcommand("break", "Skip one wait, fence or barrier of a kernel that passes: what breaks?");
    command->add_option("LAB", arguments->lab, "A lab that you have passed")->required();
    command->add_option("--which", arguments->which, "Which place, counted from 1; without it, a random one")
        ->check(CLI::PositiveNumber);
    command->add_option("--seed", arguments->seed, "Of the choice of the place and of the answers");
    command
        ->add_option("--answer", arguments->answer, "Your guess, instead of a question: a rule, nothing, wrong-result")
        ->type_name("RULE[:LINE]");
    command->add_flag("--show", arguments->show, "Do not ask, show what happens");
    command->add_flag("--solutions", arguments->solutions, "The reference solution instead of your file");
    command->add_option("--file", arguments->file, "Another file instead of labs/…/kernel.cu")->type_name("PATH");
    command->add_flag("--json", arguments->json, "Do not ask, print everything as JSON");
    command->footer("The exit code is 1 when --answer is wrong, or when the lab does not pass.");
    command->callback([&context, arguments] { run_break(context, *arguments); });
}

} // namespace runner
