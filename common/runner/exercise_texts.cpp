#include "runner/exercise_texts.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/problem.h"
#include "base/text.h"
#include "runner/toml_file.h"

namespace runner {

using base::Problem;

namespace {

constexpr std::string_view described = "docs/adding.md describes exercises.toml";

class TextReader {
  public:
    TextReader(const fs::path& file, std::string_view language) : file_(file), language_(language) {}

    ExerciseTexts texts(const toml::table& table) const {
        ExerciseTexts found{text(table, "title"), text(table, "task"), {}};
        if (const auto* hints = table["hints"].as_array())
            for (const auto& hint : *hints)
                found.hints.push_back(hint_of(hint));
        if (found.hints.empty())
            throw Problem{fmt::format("{}:{}: there are no hints", base::shown(file_), table.source().begin.line),
                          std::string(described)};
        return found;
    }

  private:
    std::string text(const toml::table& table, const std::string& key) const {
        const auto* translated = language_.empty() ? nullptr : table.get_as<std::string>(key + "_" + language_);
        const auto* any = translated ? translated : table.get_as<std::string>(key);
        return any ? std::string(base::trimmed(any->get())) : std::string();
    }
    Hint hint_of(const toml::node& node) const {
        const auto* table = node.as_table();
        Hint hint = table ? Hint{text(*table, "heading"), text(*table, "text")} : Hint{};
        if (hint.heading.empty() || hint.text.empty())
            throw Problem{
                fmt::format("{}:{}: a hint needs a heading and a text", base::shown(file_), node.source().begin.line),
                std::string(described)};
        return hint;
    }

    const fs::path& file_;
    std::string language_;
};

} // namespace

ExerciseTexts read_texts(const base::Paths& paths, std::string_view name, std::string_view language) {
    const std::string_view lab = name.substr(0, name.find('/'));
    const fs::path file = paths.lab(lab) / "exercises.toml";
    if (std::error_code problem; !fs::is_regular_file(file, problem))
        throw Problem{fmt::format("{} is missing", base::shown(file)), "restore it from your clone's origin"};
    const toml::table all = read_toml(file, described);
    const TextReader reader(file, language);
    if (name == lab)
        return reader.texts(all);
    const std::string_view exercise = name.substr(lab.size() + 1), kind = exercise.substr(0, exercise.find('/'));
    const auto* table = all[kind][exercise.substr(kind.size() + 1)].as_table();
    if (!table)
        throw Problem{fmt::format("{} has no [{}.{}]", base::shown(file), kind, exercise.substr(kind.size() + 1)),
                      std::string(described)};
    return reader.texts(*table);
}

} // namespace runner
