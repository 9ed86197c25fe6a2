#include "sim/stepper/variables.h"

#include <algorithm>
#include <regex>
#include <sstream>

#include "base/demangle.h"
#include "sim/ptx/source_texts.h"

namespace sim::stepper {

using machine::DecodedFunction, machine::OperandRef;

namespace {

// "const float* next = …;", "int i;", and the head of "for (int k = 0; …".
const std::regex& declaration() {
    static const std::regex one(
        R"(^\s*(?:for\s*\(\s*)?((?:(?:const|volatile|unsigned|signed|long|short|std|cuda)\s+|cuda::|std::)*[A-Za-z_]\w*(?:\s+(?:int|long|const))*\s*[*&]?\s*(?:const\s+|__restrict__\s+)*)\b([A-Za-z_]\w*)\s*(?:=[^=].*|\{.*\})?;)");
    return one;
}
// "sum += …;"
const std::regex& assignment() {
    static const std::regex one(R"(^\s*([A-Za-z_]\w*)\s*(?:[-+*/%&|^]|<<|>>)?=[^=][^;]*;\s*(?://.*)?$)");
    return one;
}
// A comma outside of brackets would be another declarator.
bool declares_one(const std::string& line) {
    int depth = 0;
    for (const char c : line) {
        depth += (c == '(' || c == '[' || c == '{' || c == '<') - (c == ')' || c == ']' || c == '}' || c == '>');
        if (c == ',' && depth <= 0)
            return false;
        if (c == ';')
            break;
    }
    return true;
}

enum class Holds : uint8_t { anything, floating, word, long_word };
Holds holds(const std::string& type) {
    const auto has = [&](const char* word) {
        return std::regex_search(type, std::regex("\\b(?:" + std::string(word) + ")\\b"));
    };
    if (type.find('*') != type.npos || has("size_t|u?int64_t|ptrdiff_t|u?intptr_t") || has("long"))
        return Holds::long_word;
    if (has("double"))
        return Holds::long_word;
    if (has("float"))
        return Holds::floating;
    if (has("int|unsigned|u?int(8|16|32)_t|short|char|uint"))
        return Holds::word;
    return Holds::anything;
}
bool can_hold(const DecodedFunction& function, size_t index, Holds what) {
    const ptx::Type& type = function.function->code().registers[index].type;
    const uint32_t bytes = function.register_bytes[index];
    return what == Holds::anything    ? true
           : what == Holds::long_word ? bytes == 8
           : what == Holds::floating  ? bytes == 4 && (type.kind == ptx::Kind::floating || type.kind == ptx::Kind::bits)
                                      : bytes && bytes <= 4 && type.kind != ptx::Kind::floating;
}

using At = std::pair<std::string, uint32_t>;
At at(const ptx::SourceLine& place) {
    return {place.file, place.line};
}

std::map<uint32_t, size_t> by_reference(const DecodedFunction& function) {
    std::map<uint32_t, size_t> all;
    for (size_t i = 0; i < function.registers.size(); ++i)
        all[function.registers[i].value] = i;
    return all;
}

} // namespace

Variables::Variables(const DecodedFunction& function) : names_(function.registers.size()) {
    std::map<std::string, uint32_t> last;
    for (uint32_t pc = 0; pc < function.function->body().size(); ++pc) {
        const auto frames = function.module->sources().frames(*function.function, pc);
        ptx::SourceLine place = frames.chain.empty() ? ptx::SourceLine{} : frames.chain[frames.shown].place;
        place.column = 0;
        last[place.file] = std::max(last[place.file], place.line);
        places_.push_back(std::move(place));
    }
    for (const auto& [file, line] : last)
        if (line)
            read_declarations(file, line);
    note_code();
    name_parameters(function);
    name_results(function);
    name_copies(function);
}

void Variables::read_declarations(const std::string& file, uint32_t last) {
    std::istringstream whole(ptx::source_text(file));
    auto& lines = texts_[file];
    for (std::string line; lines.size() < last && std::getline(whole, line);) {
        lines.push_back(line);
        const auto number = uint32_t(lines.size());
        const std::string short_line = text({file, number, 0});
        std::smatch found;
        if (!std::regex_search(short_line, found, declaration()) || !declares_one(short_line))
            continue;
        const std::string type = found[1];
        if (holds(type) != Holds::anything || type.find("auto") != type.npos)
            files_[file][number] = {type, found[2], true, false};
    }
}

// What becomes of a variable that changes may be attributed to any line: only of constants and of a loop's variable is
// it certain that no register holds them.
void Variables::note_code() {
    std::map<std::string, std::set<uint32_t>> with_code;
    for (const ptx::SourceLine& place : places_)
        with_code[place.file].insert(place.line);
    static const std::regex fixed(R"(^\s*(?:for\b|(?:static\s+)?const\b))");
    for (auto& [file, declarations] : files_)
        for (auto& [line, one] : declarations)
            one.may_live = with_code[file].count(line) != 0 || !std::regex_search(text({file, line, 0}), fixed);
}

void Variables::name_parameters(const DecodedFunction& function) {
    const auto& kernel = *function.function;
    const std::string name = base::function_name(kernel.name);
    const auto known = function.module->declarations().parameters(name.substr(0, name.find('<')), kernel.params.size(),
                                                                  function.module->file_of(kernel));
    for (const ptx::Instruction& one : kernel.body()) {
        using Kind = ptx::Operand::Kind;
        if (one.opcode.rfind("ld.param", 0) != 0 || one.operands.size() != 2 || one.operands[0].kind != Kind::reg)
            continue;
        const ptx::Operand& from = one.operands[1];
        const ptx::Operand* base = from.kind == Kind::address && !from.elements.empty() ? from.elements.data() : &from;
        if (base->kind == Kind::param && !base->is_return && !base->is_call_param && base->index < known.size() &&
            from.offset == 0 && base->offset == 0)
            names_[one.operands[0].index] = known[base->index];
    }
}

// What a line computes for other lines is what it declares or assigns, if it is one value.
void Variables::name_results(const DecodedFunction& function) {
    const auto indices = by_reference(function);
    std::set<At> code;
    std::vector<std::set<At>> read(names_.size());
    std::vector<std::vector<uint32_t>> writers(names_.size());
    for (uint32_t pc = 0; pc < places_.size(); ++pc) {
        const auto each = [&](const std::vector<OperandRef>& refs, auto&& f) {
            for (const OperandRef ref : refs)
                if (const auto found = indices.find(ref.value); found != indices.end())
                    f(found->second);
        };
        code.insert(at(places_[pc]));
        each(function.reads[pc], [&](size_t index) { read[index].insert(at(places_[pc])); });
        each(function.address_reads[pc], [&](size_t index) { read[index].insert(at(places_[pc])); });
        each(function.writes[pc], [&](size_t index) { writers[index].push_back(pc); });
    }
    for (const At& here : code) {
        const ptx::SourceLine place{here.first, here.second, 0};
        const auto [name, type] = result_of(place);
        if (name.empty())
            continue;
        std::vector<size_t> left;
        for (size_t index = 0; index < names_.size(); ++index)
            if (names_[index].empty() && writers[index].size() == 1 && places_[writers[index][0]] == place &&
                can_hold(function, index, holds(type)) &&
                std::any_of(read[index].begin(), read[index].end(), [&](const At& other) { return other != here; }))
                left.push_back(index);
        if (left.size() != 1)
            continue;
        names_[left[0]] = name;
        for (auto& [number, one] : files_[place.file])
            if (one.name == name && number <= place.line)
                one.in_register = true;
    }
}

/// The variable that the line declares or assigns, and its type as far as it is known.
std::pair<std::string, std::string> Variables::result_of(const ptx::SourceLine& place) const {
    const std::string line = text(place);
    std::smatch found;
    const auto file = files_.find(place.file);
    if (line.find("for") != line.npos)
        return {};
    if (file != files_.end())
        if (const auto own = file->second.find(place.line); own != file->second.end())
            return {own->second.name, own->second.type};
    if (!std::regex_match(line, found, assignment()))
        return {};
    const Declaration* known = declared(place, found[1]);
    return {found[1], known ? known->type : ""};
}

std::string Variables::text(const ptx::SourceLine& place) const {
    constexpr size_t most = 200; // characters that a regular expression looks at
    const auto lines = texts_.find(place.file);
    const bool there = lines != texts_.end() && place.line && place.line <= lines->second.size();
    return there && lines->second[place.line - 1].size() <= most ? lines->second[place.line - 1] : "";
}

// A copy of a variable in another register: cvta, mov.
void Variables::name_copies(const DecodedFunction& function) {
    for (const ptx::Instruction& one : function.function->body()) {
        using Kind = ptx::Operand::Kind;
        if ((one.opcode.rfind("cvta", 0) == 0 || one.opcode.rfind("mov.", 0) == 0) && one.operands.size() == 2 &&
            one.operands[0].kind == Kind::reg && one.operands[1].kind == Kind::reg &&
            names_[one.operands[0].index].empty())
            names_[one.operands[0].index] = names_[one.operands[1].index];
    }
}

/// The nearest declaration before it.
const Variables::Declaration* Variables::declared(const ptx::SourceLine& place, const std::string& name) const {
    const auto file = files_.find(place.file);
    const Declaration* nearest = nullptr;
    if (file != files_.end())
        for (const auto& [line, one] : file->second)
            if (line <= place.line && one.name == name)
                nearest = &one;
    return nearest;
}

std::vector<Variables::Absent> Variables::absent(const ptx::SourceLine& place) const {
    std::vector<Absent> all;
    static const std::regex word(R"((^|[^\w.>"])([A-Za-z_]\w*))");
    std::string line = text(place);
    line.erase(std::min(line.find("//"), line.size()));
    for (std::sregex_iterator at(line.begin(), line.end(), word), end; at != end; ++at) {
        const std::string name = (*at)[2];
        const Declaration* known = declared(place, name);
        const bool is_new = std::none_of(all.begin(), all.end(), [&](const Absent& one) { return one.name == name; });
        if (known && !known->in_register && is_new && all.size() < 8)
            all.push_back({name, !known->may_live});
    }
    return all;
}

} // namespace sim::stepper
