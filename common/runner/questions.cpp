#include "runner/questions.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/files.h"
#include "base/problem.h"
#include "base/text.h"
#include "process/process.h"
#include "runner/toml_file.h"
#include "runner/translation.h"

namespace runner {

using base::Problem, base::trimmed;

namespace {

constexpr std::pair<std::string_view, Answer> kinds[] = {
    {"number", Answer::number}, {"numbers", Answer::numbers}, {"text", Answer::text},
    {"choice", Answer::choice}, {"line", Answer::line},       {"rule", Answer::rule},
};

[[noreturn]] void fail(const fs::path& file, const toml::node& node, std::string_view what) {
    throw Problem{fmt::format("{}:{}: {}", base::shown(file), node.source().begin.line, what),
                  "docs/adding.md describes questions.toml"};
}

std::string as_text(const toml::node& node) {
    if (const auto* list = node.as_array()) {
        std::string text;
        for (const auto& item : *list)
            text += (text.empty() ? "" : " ") + as_text(item);
        return text;
    }
    if (const auto* text = node.as_string())
        return text->get();
    if (const auto* whole = node.as_integer())
        return std::to_string(whole->get());
    if (const auto* real = node.as_floating_point())
        return fmt::format("{:g}", real->get());
    return {};
}

/// One [[question]].
class Reader {
  public:
    Reader(const fs::path& file, const toml::table& table, std::string_view language, std::mt19937_64& random)
        : file_(file), table_(table), language_(language), random_(random) {}

    Question question() {
        for (const auto& [key, value] : table_)
            if (std::ranges::find(known, key.str()) == std::end(known))
                fail(file_, value, fmt::format("a question has no '{}'", key.str()));
        Question made;
        made.name = need("name");
        made.kind = kind();
        if (const auto* answer = table_.get("answer"))
            made.answer = as_text(*answer);
        draw(made);
        made.text = filled(translated("text"), made.defines);
        made.why = filled(translated("why"), made.defines);
        for (const auto& choice : list("choices"))
            made.choices.push_back(filled(choice, made.defines));
        if (const auto* program = table_.get("program"))
            made.program = file_.parent_path() / "questions" / as_text(*program);
        if (table_.get("target"))
            made.arch = arch();
        made.tolerance = table_["tolerance"].value_or(0.0);
        if (made.answer.empty() && made.program.empty())
            fail(file_, table_, "a question needs an answer, or a program that gives it");
        if (made.choices.empty() ? made.kind == Answer::choice
                                 : made.kind != Answer::choice && made.kind != Answer::rule)
            fail(file_, table_, "choices belong to the kinds \"choice\" and \"rule\"");
        return made;
    }

  private:
    static constexpr std::string_view known[] = {"name",       "kind",   "text",   "text_zh", "choices",
                                                 "choices_zh", "why",    "why_zh", "answer",  "tolerance",
                                                 "program",    "target", "with"};

    std::string need(const char* key) const {
        const auto* node = table_.get(key);
        if (!node || as_text(*node).empty())
            fail(file_, table_, fmt::format("this question has no {}", key));
        return std::string(trimmed(as_text(*node)));
    }
    std::string translated(const std::string& key) const {
        const std::string other = key + "_" + std::string(language_);
        return need(!language_.empty() && table_.get(other) ? other.c_str() : key.c_str());
    }
    std::vector<std::string> list(const std::string& key) const {
        const std::string other = key + "_" + std::string(language_);
        const auto* node = table_.get(!language_.empty() && table_.get(other) ? other : key);
        std::vector<std::string> all;
        if (const auto* array = node ? node->as_array() : nullptr)
            for (const auto& item : *array)
                all.push_back(as_text(item));
        return all;
    }
    Answer kind() const {
        const std::string name = need("kind");
        const auto found = std::ranges::find(kinds, name, &std::pair<std::string_view, Answer>::first);
        if (found == std::end(kinds))
            fail(file_, *table_.get("kind"), fmt::format("there is no kind of answer '{}'", name));
        return found->second;
    }
    std::string arch() const {
        const std::string target = need("target");
        if (!target.starts_with("sm_"))
            fail(file_, *table_.get("target"), fmt::format("'{}' is no target: write \"sm_100a\"", target));
        return "compute_" + target.substr(3);
    }
    // One of the sets of values; `answer` in it is the answer then.
    void draw(Question& made) {
        const auto* sets = table_["with"].as_array();
        if (!sets || sets->empty())
            return;
        const auto* set = (*sets)[random_() % sets->size()].as_table();
        if (!set)
            fail(file_, *sets, "'with' is a list of tables: with = [{ N = 4, answer = 3 }]");
        for (const auto& [key, value] : *set)
            (key == "answer" ? made.answer : made.defines[std::string(key.str())]) = as_text(value);
    }
    using Values = std::map<std::string, std::string>;
    /// What {…} stands for: a value, or a sum of whole numbers such as "STAGES - 1". nullopt: it is no such thing.
    static std::optional<std::string> value_of(const std::string& expression, const Values& values) {
        if (const auto found = values.find(expression); found != values.end())
            return found->second;
        std::istringstream words(expression);
        long sum = 0, sign = 1;
        bool named = false;
        for (std::string word; words >> word;) {
            if (word == "+" || word == "-") {
                sign = word == "-" ? -1 : 1;
                continue;
            }
            const auto found = values.find(word);
            named = named || found != values.end();
            const std::string& term = found == values.end() ? word : found->second;
            long one = 0;
            if (const auto [end, error] = std::from_chars(term.data(), term.data() + term.size(), one);
                error != std::errc() || end != term.data() + term.size())
                return std::nullopt;
            sum += sign * one;
        }
        return named ? std::optional(std::to_string(sum)) : std::nullopt;
    }
    static std::string filled(std::string text, const Values& values) {
        for (size_t open = 0; (open = text.find('{', open)) != text.npos; ++open) {
            const size_t close = text.find('}', open);
            if (close == text.npos)
                break;
            if (const auto value = value_of(text.substr(open + 1, close - open - 1), values))
                text.replace(open, close - open + 1, *value);
        }
        return text;
    }

    const fs::path& file_;
    const toml::table& table_;
    std::string_view language_;
    std::mt19937_64& random_;
};

std::optional<double> number(std::string_view text) {
    double value = 0;
    int base = 10;
    if (text.starts_with("0x")) {
        uint64_t bits = 0;
        const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, base = 16);
        return error == std::errc() && end == text.data() + text.size() ? std::optional(double(bits)) : std::nullopt;
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::vector<double> numbers(std::string_view text) {
    std::vector<double> all;
    std::string word;
    for (const char c : std::string(text) + " ") {
        if (c != ' ' && c != ',' && c != '\t') {
            word += c;
        } else if (!word.empty()) {
            const auto value = number(word);
            if (!value)
                throw Problem{"'" + word + "' is no number", "for example: 0 0 1 1"};
            all.push_back(*value);
            word.clear();
        }
    }
    return all;
}

// The text behind "answer: " in the program's output.
std::string printed_answer(std::string_view output, const fs::path& program) {
    constexpr std::string_view mark = "answer: ";
    const size_t at = output.starts_with(mark) ? 0 : output.find("\n" + std::string(mark));
    if (at == output.npos)
        throw Problem{fmt::format("{} prints no line \"{}…\":\n{}", base::shown(program), mark, output),
                      "./lab run " + base::shown(program)};
    output.remove_prefix(at + (at ? 1 : 0) + mark.size());
    return std::string(output.substr(0, output.find('\n')));
}

} // namespace

std::vector<Question> read_questions(const base::Paths& paths, std::string_view lab, std::string_view language,
                                     std::mt19937_64& random) {
    const fs::path file = paths.lab(lab) / "questions.toml";
    if (!fs::exists(file))
        return {};
    const toml::table table = read_toml(file, "docs/adding.md describes questions.toml");
    std::vector<Question> all;
    if (const auto* list = table["question"].as_array())
        for (const auto& one : *list)
            if (const auto* question = one.as_table())
                all.push_back(Reader(file, *question, language, random).question());
    return all;
}

bool is_right(const Question& question, std::string_view typed, std::string_view answer) {
    typed = trimmed(typed);
    if (const auto picked = number(typed); question.kind == Answer::rule && picked) // one of those shown
        for (size_t i = 0; i < question.choices.size(); ++i)
            if (*picked == static_cast<double>(i + 1))
                typed = question.choices[i];
    switch (question.kind) {
    case Answer::text:
    case Answer::rule:
        return typed == trimmed(answer);
    case Answer::numbers:
        if (const auto given = numbers(typed), right = numbers(answer); given.size() == right.size())
            return given == right;
        else
            throw Problem{said("the answer consists of {} numbers", right.size()),
                          said("type them with blanks between: 0 0 1 1")};
    default:
        break;
    }
    const auto given = number(typed), right = number(trimmed(answer));
    if (!given)
        throw Problem{fmt::format("'{}' is no number", typed), "type a number"};
    if (question.kind == Answer::choice && !(*given >= 1 && *given <= double(question.choices.size())))
        throw Problem{fmt::format("there is no choice {}", typed),
                      fmt::format("type a number from 1 to {}", question.choices.size())};
    return right && std::abs(*given - *right) <= question.tolerance * std::abs(*right);
}

std::string ask_the_device(const base::Paths& paths, const Question& question) {
    static std::atomic<unsigned> asked = 0;
    const fs::path findings = paths.state / fmt::format("question-{}-{}.json", getpid(), asked++);
    process::Spawn spawn;
    spawn.arguments = {fs::read_symlink("/proc/self/exe").string(),
                       "run",
                       question.program.string(),
                       "--device",
                       "sim",
                       "--json",
                       findings.string()};
    if (!question.arch.empty())
        spawn.arguments.insert(spawn.arguments.end(), {"--arch", question.arch});
    if (!question.defines.empty()) {
        std::string flags;
        for (const auto& [name, value] : question.defines)
            flags += fmt::format(" -D{}={}", name, value);
        spawn.arguments.insert(spawn.arguments.end(), {"--nvcc", flags});
    }
    spawn.limits.wall = std::chrono::minutes(3);
    spawn.limits.kept_bytes = 64 << 10;
    process::Process run(spawn);
    run.finish();
    if (!fs::exists(findings))
        throw Problem{"the program of the question could not be run:\n" + run.output(),
                      "./lab run " + base::shown(question.program)};
    const auto all = nlohmann::json::parse(base::read_file(findings)).at("findings");
    fs::remove(findings);
    const auto error = std::ranges::find_if(all, [](const auto& one) { return one.at("severity") == "error"; });
    if (question.kind == Answer::rule)
        return error == all.end() ? "nothing" : error->at("rule").template get<std::string>();
    if (question.kind == Answer::line)
        return error == all.end() ? "0" : std::to_string(error->at("first").at("line").template get<int>());
    return printed_answer(run.output(), question.program);
}

} // namespace runner
