// Takes one wait, fence, commit, arrival or barrier out of a kernel that works, and asks what the device will report.
#include <iostream>
#include <random>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/files.h"
#include "base/problem.h"
#include "base/text.h"
#include "judge/checker.h"
#include "judge/removal.h"
#include "runner/command.h"
#include "runner/names.h"
#include "runner/puzzle.h"
#include "runner/report.h"
#include "sim/rules/rule.h"

namespace runner::break_command {

using base::Problem, base::read_file, base::shown;
using judge::CaseReport, judge::CheckOptions, compile::Compiled, compile::Compiler, judge::LabReport, judge::Skip,
    judge::Workers, judge::check_lab, judge::removables;
namespace {

using nlohmann::json;

struct BreakArguments {
    std::string lab, file, answer;
    bool solutions = false, show = false, json = false;
    size_t which = 0;
    std::optional<uint64_t> seed;
};

std::vector<SkippedLine> places(const Compiler& compiler, const check::ListedLab& lab, const fs::path& source) {
    const Compiled compiled = compiler.lab(source, lab.lab->targets);
    std::vector<SkippedLine> all;
    for (const auto& target : lab.lab->targets) {
        const size_t first = all.size();
        size_t index = 0;
        for (const auto& item : removables(read_file(compiled.ptx.at(target.arch())))) {
            const size_t number = index++;
            if (item.line == 0 || fs::path(item.file).filename() != source.filename())
                continue;
            const auto same = [&](const SkippedLine& place) {
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

void show_place(const fs::path& source, const SkippedLine& place, const Context& context) {
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
                   context.width > 9 ? base::shortened(line, context.width - 9) : line);
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
    fmt::print("{}", base::wrapped(verdict, "", context.width));
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
                   base::wrapped("All cases pass without it: what it orders is ordered by something else as "
                                 "well, or nothing here depends on it. That holds for this kernel and these sizes.",
                                 "", context.width));
    }
    const auto* rule = sim::hazards::find_rule(puzzle.rule());
    if (rule && (!guess || !right))
        fmt::print("\n{}", base::wrapped(fmt::format("Why {}: {}", rule->name, rule->why.text()), "", context.width));
    if (guess && !right)
        if (const auto* other = sim::hazards::find_rule(guess->rule))
            fmt::print("\n{}",
                       base::wrapped(fmt::format("When {}: {}", other->name, other->why.text()), "", context.width));
}

json to_json(const Puzzle& puzzle, const SkippedLine& place, const std::optional<Guess>& guess) {
    json out = puzzle.to_json();
    out["skipped"] = {{"mnemonic", place.mnemonic},
                      {"line", place.line},
                      {"target", place.skip.arch},
                      {"instructions", place.skip.indices.size()}};
    if (guess)
        out["guess"] = {{"rule", guess->rule},
                        {"right", puzzle.right(*guess)},
                        {"line", guess->line ? json(guess->line) : json()},
                        {"line_right", guess->line ? json(puzzle.lines(*guess).contains(guess->line)) : json()}};
    return out;
}

fs::path source_of(const check::ListedLab& lab, const BreakArguments& arguments, const Context& context) {
    const fs::path given = !arguments.file.empty() ? fs::path(arguments.file)
                           : arguments.solutions   ? context.paths.solution(lab.name)
                                                   : context.paths.source(lab.name);
    if (!fs::is_regular_file(given))
        throw Problem{"there is no file " + shown(given),
                      arguments.file.empty() ? "./lab reset " + number_of(lab.name) : "check the path"};
    return fs::canonical(given);
}

void show_choices(const std::vector<std::string>& choices, const Context& context) {
    fmt::print("\nWhat will the device report?\n");
    for (size_t i = 0; i < choices.size(); ++i) {
        const std::string line = fmt::format("  {}  {:<27} {}", i + 1, choices[i], title(choices[i]));
        fmt::print("{}", base::wrapped(line, "", context.width));
    }
}

void run_break(Context& context, const BreakArguments& arguments) {
    const auto& lab = find_lab(arguments.lab);
    const std::string number = number_of(lab.name);
    const fs::path source = source_of(lab, arguments, context);
    const std::string whose = !arguments.file.empty() ? " --file " + arguments.file
                              : arguments.solutions   ? " --solutions"
                                                      : "";
    StatusLine status(number_of(lab.name));
    const auto progress = [&](std::string_view what) { status.show(what); };
    Workers workers;
    const Compiler compiler(context.paths, compile::box_for_own_files());
    if (!check_lab(compiler, workers, lab, source, {}, progress).passed())
        throw Problem{fmt::format("{} does not pass yet, and only a kernel that works can be broken", shown(source)),
                      "./lab check " + number + whose, 1};
    const auto all = places(compiler, lab, source);
    if (all.empty())
        throw Problem{fmt::format("the kernels of {} have no wait, fence, commit, arrival or barrier", shown(source)),
                      "another lab: ./lab break 01", 1};
    if (arguments.which > all.size())
        throw Problem{fmt::format("there are {} places to break", all.size()), "--which 1"};
    Puzzle::Random random(arguments.seed.value_or(std::random_device{}()));
    const size_t which = arguments.which ? arguments.which : 1 + random() % all.size();
    const SkippedLine& place = all[which - 1];
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
        json out = to_json(puzzle, place, guess);
        out["lab"] = lab.name;
        out["which"] = which;
        out["places"] = all.size();
        fmt::print("{}\n", out.dump(2));
        return;
    }
    const std::string what = fmt::format("{} {}: the device skips one instruction of your kernel ({}; place {} of {}).",
                                         number, lab.lab->title, place.skip.arch, which, all.size());
    fmt::print("{}\n", base::wrapped(what, "", context.width));
    show_place(source, place, context);
    show_choices(puzzle.choices(), context);
    if (!guess && !arguments.show)
        guess = asked(puzzle.choices());
    fmt::print("\n");
    show_outcome(puzzle, guess, context);
    fmt::print("\nYour file is as it was. This one again: ./lab break {}{} --which {}\n", number, whose, which);
}

void add(CLI::App& command, Context& context) {
    auto arguments = std::make_shared<BreakArguments>();
    command.add_option("LAB", arguments->lab, "A lab that you have passed")->required();
    command.add_option("--which", arguments->which, "Which place, counted from 1; without it, a random one")
        ->check(CLI::PositiveNumber);
    command.add_option("--seed", arguments->seed, "Of the choice of the place and of the answers");
    command
        .add_option("--answer", arguments->answer, "Your guess, instead of a question: a rule, nothing, wrong-result")
        ->type_name("RULE[:LINE]");
    command.add_flag("--show", arguments->show, "Do not ask, show what happens");
    command.add_flag("--solutions", arguments->solutions, "The reference solution instead of your file");
    command.add_option("--file", arguments->file, "Another file instead of labs/…/kernel.cu")->type_name("PATH");
    command.add_flag("--json", arguments->json, "Do not ask, print everything as JSON");
    command.footer("The exit code is 1 when --answer is wrong, or when the lab does not pass.");
    command.callback([&context, arguments] { run_break(context, *arguments); });
}

} // namespace

LAB_COMMAND = {
    .name = "break",
    .help = "Skip one wait, fence or barrier of a kernel that passes: what breaks?",
    .add = add,
    .completion = Completion::labs,
};

} // namespace runner::break_command
