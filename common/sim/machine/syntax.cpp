#include "sim/machine/syntax.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace sim::machine {
namespace {

std::string strip(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\n\r");
    if (first == std::string_view::npos)
        return {};
    return std::string(text.substr(first, text.find_last_not_of(" \t\n\r") - first + 1));
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    int depth = 0;
    std::string part;
    for (char c : text) {
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (c == separator && depth == 0) {
            parts.push_back(strip(part));
            part.clear();
        } else {
            part += c;
        }
    }
    if (!strip(part).empty())
        parts.push_back(strip(part));
    return parts;
}

// ".shared{::cta, ::cluster}" -> .shared .shared::cta .shared::cluster
void expand(const std::string& member, std::vector<std::string>& out) {
    const auto brace = member.find('{');
    if (brace == std::string::npos) {
        out.push_back(member);
        return;
    }
    const std::string stem = member.substr(0, brace);
    out.push_back(stem);
    for (const auto& tail : split(std::string_view(member).substr(brace + 1, member.size() - brace - 2), ','))
        out.push_back(stem + tail);
}

using Sets = std::map<std::string, std::vector<std::string>, std::less<>>;

struct Slot {
    std::string name;
    std::vector<std::string> members;
    bool optional;
};

// Splits ".a{.b}.c" into slots. A slot name ends at the next '.', '{' or '}'.
std::vector<Slot> slots_of(std::string_view modifiers, const Sets& sets) {
    std::vector<Slot> slots;
    bool optional = false;
    size_t i = 0;
    while (i < modifiers.size()) {
        const char c = modifiers[i];
        if (c == '{') {
            optional = true;
            ++i;
        } else if (c == '}') {
            optional = false;
            ++i;
        } else {
            size_t end = i + 1;
            while (end < modifiers.size() && modifiers[end] != '.' && modifiers[end] != '{' && modifiers[end] != '}')
                ++end;
            std::string name(modifiers.substr(i, end - i));
            auto set = sets.find(name);
            slots.push_back({name, set == sets.end() ? std::vector<std::string>{name} : set->second, optional});
            i = end;
        }
    }
    return slots;
}

std::vector<std::string> modifiers_of(std::string_view opcode) {
    std::vector<std::string> parts;
    for (size_t i = 0; i < opcode.size();) {
        size_t end = opcode.find('.', i + 1);
        if (end == std::string_view::npos)
            end = opcode.size();
        parts.emplace_back(opcode.substr(i, end - i));
        i = end;
    }
    return parts;
}

// What stands in the opcode beside the words of the mnemonic, which need not be its first ones: "vote.ballot.sync.b32".
std::vector<std::string> modifiers_beside(std::string_view name, std::string_view opcode) {
    auto modifiers = modifiers_of(opcode);
    for (const auto& word : modifiers_of(name))
        if (const auto it = std::find(modifiers.begin(), modifiers.end(), word); it != modifiers.end())
            modifiers.erase(it);
    return modifiers;
}

// Operands of "d, [a], b{, cache-policy}": names, and how many are required.
void operands_of(std::string_view text, std::vector<std::string>& names, size_t& required) {
    int optional = 0, bracket = 0;
    std::string name;
    auto flush = [&](bool is_optional) {
        name = strip(name);
        if (name.empty())
            return;
        required += !is_optional;
        names.push_back(name);
        name.clear();
    };
    for (char c : text) {
        if (c == '[')
            ++bracket;
        if (c == ']')
            --bracket;
        if (bracket == 0 && c == '{') {
            flush(optional > 0);
            ++optional;
        } else if (bracket == 0 && c == '}') {
            flush(optional > 0);
            --optional;
        } else if (bracket == 0 && c == ',') {
            flush(optional > 0);
        } else {
            name += c;
        }
    }
    flush(optional > 0);
}

bool fill(const std::vector<std::string>& given, const std::vector<Slot>& slots,
          std::vector<std::pair<std::string, std::string>>& filled, std::string& misfit) {
    std::vector<bool> used(slots.size());
    for (const auto& modifier : given) {
        size_t s = 0;
        for (; s < slots.size(); ++s) {
            bool member = false;
            for (const auto& m : slots[s].members)
                member |= m == modifier;
            if (member && !used[s])
                break;
        }
        if (s == slots.size()) {
            misfit = modifier;
            return false;
        }
        used[s] = true;
        filled.emplace_back(slots[s].name, modifier);
    }
    for (size_t s = 0; s < slots.size(); ++s)
        if (!slots[s].optional && !used[s]) {
            misfit = "missing " + slots[s].name;
            return false;
        }
    return true;
}

/// One form of an instruction.
struct Pattern {
    size_t index = 0; ///< among the record's forms
    std::vector<Slot> slots;
    std::vector<std::string> operands;
    size_t required = 0;
};

Pattern pattern_of(std::string_view text, size_t index, const Sets& sets) {
    // The modifiers end at the first blank outside braces.
    size_t end = 0;
    for (int depth = 0; end < text.size(); ++end) {
        depth += (text[end] == '{') - (text[end] == '}');
        if (depth == 0 && (text[end] == ' ' || text[end] == '\n'))
            break;
    }
    Pattern pattern{.index = index, .slots = slots_of(text.substr(0, end), sets), .operands = {}};
    operands_of(text.substr(end), pattern.operands, pattern.required);
    return pattern;
}

std::vector<Pattern> parse(std::string_view syntax, std::string_view name) {
    Sets sets;
    std::vector<std::string> forms;
    for (const auto& line : split(syntax, ';')) {
        const auto equals = line.find('=');
        if (line[0] == '.' && equals != std::string::npos) {
            const auto open = line.find('{', equals), close = line.rfind('}');
            auto& members = sets[strip(std::string_view(line).substr(0, equals))];
            for (const auto& member : split(std::string_view(line).substr(open + 1, close - open - 1), ','))
                expand(member, members);
        } else if (!line.empty()) {
            forms.push_back(line);
        }
    }
    std::vector<Pattern> all;
    for (size_t index = 0; index < forms.size(); ++index)
        if (std::string_view(forms[index]).starts_with(name))
            all.push_back(pattern_of(std::string_view(forms[index]).substr(name.size()), index, sets));
    return all;
}

/// There are few records and many instructions, so each syntax is parsed once.
const std::vector<Pattern>& patterns(std::string_view syntax, std::string_view name) {
    using BySyntax = std::map<std::string, std::vector<Pattern>, std::less<>>;
    static thread_local std::map<std::string, BySyntax, std::less<>> known;
    auto named = known.find(name);
    if (named == known.end())
        named = known.emplace(name, BySyntax()).first;
    auto found = named->second.find(syntax);
    if (found == named->second.end())
        found = named->second.emplace(syntax, parse(syntax, name)).first;
    return found->second;
}

} // namespace

std::string_view Form::value(std::string_view slot, size_t nth) const {
    for (const auto& [name, value] : slots_)
        if (name == slot && nth-- == 0)
            return value;
    return {};
}

bool match(std::string_view syntax, std::string_view name, std::string_view opcode, size_t operand_count, Form& form,
           std::string& why) {
    const auto given = modifiers_beside(name, opcode);
    why = fmt::format("'{}' is not a form of {}", opcode, name);
    for (const Pattern& pattern : patterns(syntax, name)) {
        std::vector<std::pair<std::string, std::string>> filled;
        std::string misfit;
        if (!fill(given, pattern.slots, filled, misfit)) {
            why = fmt::format("'{}': {} does not fit {}", opcode, misfit, name);
            continue;
        }
        if (operand_count < pattern.required || operand_count > pattern.operands.size()) {
            why = fmt::format("'{}' with {} operands; the form has {}", opcode, operand_count, pattern.operands.size());
            continue;
        }
        form.index_ = pattern.index;
        form.operands_ = pattern.operands;
        form.required_ = pattern.required;
        form.slots_ = std::move(filled);
        return true;
    }
    return false;
}

} // namespace sim::machine
