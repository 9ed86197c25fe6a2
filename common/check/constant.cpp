#include "check/constant.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/text.h"

namespace check {
namespace {

std::vector<const Constant*>& all() {
    static std::vector<const Constant*> constants;
    return constants;
}

std::string normal(std::string_view id) {
    std::string text(base::trimmed(id));
    for (char& c : text)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return text;
}

// Ids that differ in one digit only are to have nothing in common: FNV alone does not mix that well.
uint64_t mixed(const std::string& digits) {
    uint64_t x = std::stoull(digits.substr(0, 16), nullptr, 16) ^ std::stoull(digits.substr(16), nullptr, 16);
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

// The digits in `constexpr int A = 1, NAME = 3;`, empty if there are none. Students' files are of any shape, so this
// looks no further back than an honest line is long.
std::string_view number_of(std::string_view source, std::string_view name) {
    constexpr size_t longest_line = 200;
    for (size_t at = 0; (at = source.find(name, at)) != source.npos; at += name.size()) {
        const std::string_view line =
            source.substr(at > longest_line ? at - longest_line : 0, std::min(at, longest_line));
        const std::string_view before = line.substr(line.find_last_of("\n;") + 1);
        if (before.find("const") == before.npos || before.find("//") != before.npos || base::is_word(before.back()))
            continue;
        std::string_view rest = source.substr(at + name.size());
        const auto skip = [&](std::string_view what) {
            rest.remove_prefix(std::min(rest.find_first_not_of(what), rest.size()));
        };
        skip(" \t");
        if (!rest.starts_with('='))
            continue;
        rest.remove_prefix(1);
        skip(" \t");
        const std::string_view digits = rest.substr(0, std::min(rest.find_first_not_of("0123456789"), rest.size()));
        rest.remove_prefix(digits.size());
        skip(" \t");
        if (!digits.empty() && digits.size() < 9 && (rest.starts_with(',') || rest.starts_with(';')))
            return digits;
    }
    return {};
}

} // namespace

Constant::Constant(std::string_view lab, std::string_view name, std::vector<int> values)
    : lab_(lab), name_(name), values_(std::move(values)), value_(values_.at(0)) {
    all().push_back(this);
}

std::vector<const Constant*> constants_of(std::string_view lab) {
    std::vector<const Constant*> found;
    std::ranges::copy_if(all(), std::back_inserter(found), [&](const Constant* one) { return one->lab() == lab; });
    return found;
}

Constants constants_for(std::string_view lab, std::string_view student) {
    Constants drawn;
    for (const Constant* one : constants_of(lab)) {
        const std::string digits = base::Hash().add(lab).add(one->name()).add(normal(student)).text();
        drawn[std::string(one->name())] = one->values()[mixed(digits) % one->values().size()];
    }
    return drawn;
}

void use_constants(std::string_view lab, const Constants& values) {
    for (const Constant* one : constants_of(lab)) {
        const auto given = values.find(std::string(one->name()));
        one->set(given == values.end() ? one->values()[0] : given->second);
    }
}

std::string text(const Constants& values) {
    std::string text;
    for (const auto& [name, value] : values)
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
    return text;
}

Constants constants_in(std::string_view source, const Constants& names) {
    Constants found;
    for (const auto& [name, value] : names)
        if (const auto digits = number_of(source, name); !digits.empty())
            found[name] = std::stoi(std::string(digits));
    return found;
}

std::string with_constants(std::string source, const Constants& values) {
    for (const auto& [name, value] : values)
        if (const auto digits = number_of(source, name); !digits.empty())
            source.replace(static_cast<size_t>(digits.data() - source.data()), digits.size(), std::to_string(value));
    return source;
}

} // namespace check
