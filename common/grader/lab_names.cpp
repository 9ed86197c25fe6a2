#include "grader/lab_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "grader/files.h"

namespace grader {
namespace {

constexpr size_t longest_name = 100; ///< longer names name no lab
constexpr std::string_view separators = " _-.";

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_letter(char c) { // of ASCII
    return std::isalpha(static_cast<unsigned char>(c)) && static_cast<unsigned char>(c) < 0x80;
}
bool is_upper(char c) {
    return is_letter(c) && std::isupper(static_cast<unsigned char>(c));
}
bool is_lower(char c) {
    return is_letter(c) && !is_upper(c);
}

std::string_view stripped(std::string_view text) {
    const size_t first = text.find_first_not_of(separators);
    return first == text.npos ? std::string_view{} : text.substr(first, text.find_last_not_of(separators) - first + 1);
}

std::string with_plain_digits(std::string_view text) { // of full-width ones
    std::string plain(text);
    for (size_t at = 0; (at = plain.find("\xef\xbc", at)) != plain.npos && at + 2 < plain.size(); ++at)
        if (const int digit = static_cast<unsigned char>(plain[at + 2]) - 0x90; digit >= 0 && digit <= 9)
            plain.replace(at, 3, 1, static_cast<char>('0' + digit));
    return plain;
}

struct Digits {
    size_t begin, end; ///< in the name
    int number;
};

// One or two digits at `at`, which end there: "03", "3_", "3Ada", but not "3d" or "2026".
std::optional<Digits> number_at(std::string_view name, size_t at) {
    size_t end = at;
    while (end < name.size() && is_digit(name[end]))
        ++end;
    if (end == at || end - at > 2)
        return {};
    const bool name_begins = end + 1 < name.size() && is_upper(name[end]) && is_lower(name[end + 1]);
    if (end < name.size() && is_letter(name[end]) && !name_begins)
        return {};
    return Digits{at, end, std::stoi(std::string(name.substr(at, end - at)))};
}

// "lab" and its like, wherever a word of the name begins, and a number behind it.
std::vector<Digits> behind_words(std::string_view name) {
    static constexpr std::array<std::string_view, 11> words{"lab",  "exercise", "实验", "實驗", "作业", "作業",
                                                            "练习", "練習",     "习题", "習題", "第"};
    const std::string plain = lower(name);
    std::vector<Digits> all;
    for (const auto word : words)
        for (size_t at = 0; (at = plain.find(word, at)) != plain.npos; at += word.size()) {
            if (at > 0 && is_letter(word[0]) && is_letter(name[at - 1]) &&
                !(is_lower(name[at - 1]) && is_upper(name[at])))
                continue; // "collab 3"
            const size_t digits = std::min(name.find_first_not_of(separators, at + word.size()), name.size());
            if (auto found = number_at(name, digits)) {
                found->begin = at;
                all.push_back(*found);
            }
        }
    return all;
}

LabName named(std::string_view name, const Digits& found, bool sure) {
    const auto before = stripped(name.substr(0, found.begin));
    auto after = name.substr(found.end);
    for (const std::string_view unit : {"次", "题", "題"})
        if (after.starts_with(unit))
            after.remove_prefix(unit.size());
    return {found.number, std::string(before.empty() ? stripped(after) : before), sure};
}

} // namespace

std::string lower(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](char c) { return is_upper(c) ? static_cast<char>(c + 32) : c; });
    return out;
}

std::optional<LabName> lab_name(std::string_view text) {
    if (text.size() > longest_name)
        return {};
    const std::string name = with_plain_digits(text);
    const auto found = behind_words(name);
    std::set<int> numbers;
    for (const auto& one : found)
        numbers.insert(one.number);
    if (numbers.size() > 1)
        return {};
    if (!found.empty())
        return named(name, found.front(), true);
    // The number alone, or before all else: "3", "kernel03", "03_pipeline_primitives".
    const size_t begin = lower(name).starts_with("kernel") ? 6 : 0;
    const size_t digits = begin + (begin < name.size() && separators.find(name[begin]) != separators.npos);
    if (auto first = number_at(name, digits)) {
        first->begin = 0;
        return named(name, *first, true);
    }
    // At the end: "ada03", "ada_3", but not "2026-03-04".
    const size_t last = name.find_last_not_of("0123456789");
    if (last == name.npos || last + 1 == name.size())
        return {};
    const auto end = number_at(name, last + 1);
    const bool apart = separators.find(name[last]) != separators.npos;
    if (apart && last > 0 && is_digit(name[last - 1]))
        return {};
    if (!end || (!apart && end->end - end->begin != 2) || stripped(name.substr(0, last + 1)).empty())
        return {};
    return named(name, *end, false);
}

std::optional<std::string> lab_named(std::string_view name, const std::vector<std::string>& labs) {
    for (const auto& lab : labs)
        if (name == lab)
            return lab;
    const auto found = lab_name(name);
    for (const auto& lab : labs)
        if (found && found->sure && std::stoi(lab.substr(0, 2)) == found->number)
            return lab;
    return {};
}

std::string_view without_ending(std::string_view file) {
    if (const size_t ending = source_ending(file))
        return file.substr(0, file.size() - ending);
    if (is_archive(file)) {
        file = file.substr(0, file.rfind('.'));
        return lower(file).ends_with(".tar") ? file.substr(0, file.size() - 4) : file;
    }
    return file;
}

} // namespace grader
