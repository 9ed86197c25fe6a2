#include "grader/todos.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/text.h"

namespace grader {

using base::is_word;

namespace {

// The number in "// TODO(2): wait"; 0: there is none.
int mark(std::string_view line, std::string_view what) {
    const size_t at = line.find(what);
    if (at == std::string_view::npos || line.substr(0, at).find("//") == std::string_view::npos)
        return 0;
    int number = 0;
    std::from_chars(line.data() + at + what.size(), line.data() + line.size(), number);
    return number;
}

bool ends_with_word(std::string_view text, std::string_view word) {
    return text.ends_with(word) && (text.size() == word.size() || !is_word(text[text.size() - word.size() - 1]));
}

// The name before the parameters in what precedes a body: "template <int N> __global__ void encode(const float* in)".
std::string name_of(std::string_view header) {
    static constexpr std::array others{"__launch_bounds__", "__cluster_dims__", "alignas",  "__align__",
                                       "__attribute__",     "__maxnreg__",      "decltype", "requires"};
    for (size_t open = header.find('('); open != std::string_view::npos; open = header.find('(', open + 1)) {
        size_t end = open;
        while (end > 0 && (header[end - 1] == ' ' || header[end - 1] == '\n'))
            --end;
        const std::string_view before = header.substr(0, end);
        bool other = false;
        for (const std::string_view word : others)
            other = other || ends_with_word(before, word);
        size_t begin = end;
        while (begin > 0 && is_word(header[begin - 1]))
            --begin;
        if (!other && begin < end)
            return std::string(header.substr(begin, end - begin));
    }
    return {};
}

size_t end_of_literal(std::string_view text, size_t begin) {
    for (size_t i = begin + 1; i < text.size(); ++i)
        if (text[i] == '\\')
            ++i;
        else if (text[i] == text[begin])
            return i + 1;
        else if (text[i] == '\n')
            return i;
    return text.size();
}

// The text with comments, strings and directives replaced by blanks; lines stay where they are.
std::string code_of(std::string_view text) {
    std::string code(text);
    auto blank = [&](size_t from, size_t to) {
        for (size_t i = from; i < std::min(to, code.size()); ++i)
            if (code[i] != '\n')
                code[i] = ' ';
    };
    bool line_begins = true;
    for (size_t i = 0; i < text.size(); ++i) {
        size_t end = i;
        if (text.substr(i, 2) == "//" || (text[i] == '#' && line_begins))
            end = std::min(text.find('\n', i), text.size());
        else if (text.substr(i, 2) == "/*")
            end = std::min(text.find("*/", i + 2), text.size() - 2) + 2;
        else if (text[i] == '"' || (text[i] == '\'' && (i == 0 || !is_word(text[i - 1])))) // 1'000 is a number
            end = end_of_literal(text, i);
        line_begins = text[i] == '\n' || (line_begins && (text[i] == ' ' || text[i] == '\t'));
        if (end > i) {
            blank(i, end);
            i = end - 1;
        }
    }
    return code;
}

std::vector<std::pair<std::string, Region>> functions_of(std::string_view text) {
    const std::string code = code_of(text);
    std::vector<std::pair<std::string, Region>> functions;
    size_t line = 1, header = 0, header_line = 1, depth = 0; // depth: of braces in a function
    for (size_t i = 0; i < code.size(); ++i) {
        const char c = code[i];
        line += c == '\n';
        if (depth) {
            depth += c == '{';
            depth -= c == '}';
            if (depth == 0) {
                functions.back().second.last = line;
                header = i + 1;
            }
        } else if (c == '{') {
            if (const std::string name = name_of(std::string_view(code).substr(header, i - header)); !name.empty()) {
                functions.push_back({name, {header_line, SIZE_MAX}});
                depth = 1;
            }
            header = i + 1;
        } else if (c == ';' || c == '}') {
            header = i + 1;
        } else if (c != ' ' && c != '\n' &&
                   std::string_view(code).substr(header, i - header).find_first_not_of(" \n") ==
                       std::string_view::npos) {
            header = i;
            header_line = line;
        }
    }
    return functions;
}

template <class Each>
void each_line(std::string_view text, Each each) {
    for (size_t number = 1; !text.empty(); ++number) {
        const size_t end = std::min(text.find('\n'), text.size());
        each(number, text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

// The lines of kernel.cu that a place names: its own, then those that led to it.
template <class Each>
void each_line_of(const Finding& finding, Each each) {
    auto place = [&](const sim::hazards::Place& one) {
        if (one.file == "kernel.cu")
            each(one.line);
        for (const auto& call : one.calls)
            if (call.file == "kernel.cu")
                each(call.line);
    };
    place(finding.first);
    for (const auto& other : finding.others)
        place(other);
}

} // namespace

Outline::Outline(std::string_view text) : functions(functions_of(text)) {
    int open = 0;
    each_line(text, [&](size_t number, std::string_view line) {
        if (const int end = mark(line, "END TODO("); end) {
            open = 0;
        } else if (const int begin = mark(line, "TODO("); begin) {
            open = begin;
            todos[open] = {number, number};
            bodies[open].clear();
        }
        if (!open)
            return;
        todos[open].last = number;
        if (number != todos[open].first)
            for (const char c : line)
                if (!std::isspace(static_cast<unsigned char>(c)))
                    bodies[open] += c;
    });
    // Without its end, a TODO ends where its function does.
    for (auto& [number, region] : todos) {
        const auto behind = std::ranges::upper_bound(functions, region.first, {},
                                                     [](const auto& function) { return function.second.first; });
        if (behind != functions.begin() && std::prev(behind)->second.holds(region.first))
            region.last = std::min(region.last, std::prev(behind)->second.last);
    }
}

std::string Outline::function_at(size_t line) const {
    for (const auto& [name, region] : functions)
        if (region.holds(line))
            return name;
    return {};
}

std::string Todos::region_at(size_t line) const {
    for (const auto& [number, region] : own_.todos)
        if (region.holds(line))
            return fmt::format("TODO({})", number);
    return {};
}

std::string Todos::function_at(size_t line) const {
    const std::string name = own_.function_at(line);
    std::vector<std::string> all;
    for (const auto& [number, region] : published_.todos)
        if (!name.empty() && published_.function_at(region.first) == name)
            all.push_back(fmt::format("TODO({})", number));
    if (all.size() < 2)
        return all.empty() ? "" : all.front();
    const std::string last = all.back();
    all.pop_back();
    return fmt::format("{} or {}", fmt::join(all, ", "), last);
}

std::string Todos::of(const Finding& finding) const {
    std::string region, function;
    each_line_of(finding, [&](size_t line) {
        if (region.empty())
            region = region_at(line);
        if (function.empty())
            function = function_at(line);
    });
    return region.empty() ? function : region;
}

std::vector<int> Todos::untouched() const {
    std::vector<int> numbers;
    for (const auto& [number, body] : published_.bodies)
        if (const auto own = own_.bodies.find(number); own != own_.bodies.end() && own->second == body)
            numbers.push_back(number);
    return numbers;
}

void add_todos(LabResult& lab, std::string_view published, std::string_view text) {
    const Todos todos(published, text);
    auto name = [&](std::vector<Finding>& findings) {
        for (auto& finding : findings)
            finding.todo = todos.of(finding);
    };
    for (auto& item : lab.cases)
        if (item.run)
            name(item.run->findings);
    name(lab.handed_in->warnings);
    lab.handed_in->untouched_todos = todos.untouched();
}

} // namespace grader
