#include "runner/hints.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "base/files.h"
#include "base/problem.h"
#include "base/text.h"

namespace runner {

namespace fs = std::filesystem;
using base::Paths, base::Problem, base::read_file, base::shown, base::trimmed;

namespace {

constexpr uintmax_t MOST_BYTES = 64 << 10; // The longest file of hints today has 3 KiB.
constexpr std::string_view HEADING = "## ", FENCE = "```";

fs::path hints_file(const Paths& paths, std::string_view lab, std::string_view language) {
    const fs::path solution = paths.solution(lab);
    const fs::path file = solution.parent_path() / (solution.filename() == "kernel.cu" ? "hints" : solution.stem());
    // The language becomes part of a file's name, so it may be a word, but no path.
    if (!language.empty() && std::ranges::all_of(language, [](char c) { return 'a' <= c && c <= 'z'; })) {
        std::error_code problem;
        if (const fs::path translated = fmt::format("{}.{}.md", file.string(), language);
            fs::exists(translated, problem))
            return translated;
    }
    return file.string() + ".md";
}

std::string read_bounded(const fs::path& file) {
    std::error_code problem;
    if (!fs::is_regular_file(file, problem))
        throw Problem{fmt::format("{} is missing", shown(file)), "restore it from your clone's origin"};
    const uintmax_t size = fs::file_size(file, problem);
    if (problem || size > MOST_BYTES)
        throw Problem{fmt::format("{} is larger than {} KiB", shown(file), MOST_BYTES >> 10), "shorten it"};
    return read_file(file);
}

std::string_view next_line(std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return line;
}

/// How many columns "- " or "12. " at the beginning of an item of a list takes; 0: the line begins no item.
size_t marker_of(std::string_view line) {
    const size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    const std::string_view rest = line.substr(digits);
    if (digits ? rest.starts_with(". ") : rest.starts_with("- "))
        return digits + 2;
    return 0;
}

/// The card of the calls that the lab's solution needs, from its README; exercises have none.
std::optional<Hint> card(const Paths& paths, std::string_view lab, std::string_view language) {
    const bool chinese = language == "zh" && fs::exists(paths.lab(lab) / "README.zh.md");
    const fs::path readme = paths.lab(lab) / (chinese ? "README.zh.md" : "README.md");
    std::error_code problem;
    if (fs::exists(readme, problem))
        for (const Hint& section : read_sections(readme))
            if (section.heading == (chinese ? "调用" : "Calls"))
                return Hint{chinese ? "名称与签名" : "Names and signatures", section.text};
    return {};
}

} // namespace

std::vector<Hint> read_hints(const Paths& paths, std::string_view lab, std::string_view language) {
    std::vector<Hint> hints = read_sections(hints_file(paths, lab, language));
    if (auto calls = card(paths, lab, language))
        hints.insert(hints.end() - 1, *calls);
    return hints;
}

std::vector<Hint> read_sections(const fs::path& file) {
    const std::string text = read_bounded(file);
    std::vector<Hint> hints;
    bool code = false;
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view line = next_line(rest);
        code = code != line.starts_with(FENCE);
        if (!code && line.starts_with(HEADING))
            hints.push_back({std::string(trimmed(line.substr(HEADING.size()))), {}});
        else if (!hints.empty()) // What stands before the first stage is the file's title.
            hints.back().text += std::string(line) + '\n';
    }
    for (Hint& hint : hints) {
        hint.text = trimmed(hint.text);
        if (hint.heading.empty() || hint.text.empty())
            throw Problem{fmt::format("{} has a stage without a heading or without a text", shown(file)),
                          "write \"## a few words\" and the hint below it"};
    }
    if (hints.empty())
        throw Problem{fmt::format("{} has no stages", shown(file)), "write \"## a few words\" before each hint"};
    return hints;
}

std::string rendered(std::string_view markdown, std::string_view indent, size_t width) {
    std::string out, paragraph;
    size_t marker = 0;
    bool code = false;
    auto end_paragraph = [&] {
        std::string lines =
            base::wrapped(paragraph.substr(marker), std::string(indent) + std::string(marker, ' '), width);
        lines.replace(std::min(indent.size(), lines.size()), marker, paragraph, 0, marker);
        out += lines;
        paragraph.clear();
        marker = 0;
    };
    while (!markdown.empty()) {
        const std::string_view line = next_line(markdown);
        if (line.starts_with(FENCE)) {
            end_paragraph();
            code = !code;
        } else if (code) {
            out += line.empty() ? "\n" : fmt::format("{}    {}\n", indent, line);
        } else if (line.empty()) {
            end_paragraph();
            out += '\n';
        } else if (const size_t columns = marker_of(line)) {
            end_paragraph();
            paragraph = line;
            marker = columns;
        } else {
            paragraph += (paragraph.empty() ? "" : " ") + std::string(trimmed(line));
        }
    }
    end_paragraph();
    return out;
}

} // namespace runner
