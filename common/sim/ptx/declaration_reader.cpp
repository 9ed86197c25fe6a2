#include "sim/ptx/declaration_reader.h"

#include <algorithm>

namespace sim::ptx {
namespace {

bool among(std::string_view token, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, token) != words.end();
}

bool is_space(std::string_view token) {
    return among(token, {"__shared__", "__device__", "__constant__", "__managed__"});
}

bool is_qualifier(std::string_view token) {
    return is_space(token) || among(token, {"const", "volatile", "static", "extern", "inline", "typename", "constexpr",
                                            "__restrict__", "mutable", "__grid_constant__"});
}

bool aligns(std::string_view token) {
    return among(token, {"alignas", "__align__", "__attribute__"});
}

uint64_t round_up(uint64_t value, uint64_t align) {
    return (value + align - 1) / align * align;
}

} // namespace

void DeclarationReader::skip_bracket(std::string_view open, std::string_view close) {
    size_t depth = 0;
    do {
        depth += peek() == open;
        depth -= peek() == close;
        ++at_;
    } while (depth && !done());
}

/// To behind its semicolon, or behind the body of a function.
void DeclarationReader::skip_statement() {
    while (!done() && peek() != ";" && peek() != "}") {
        if (peek() == "{") {
            skip_bracket("{", "}");
            if (peek() != ";" && peek() != ",")
                return;
        } else {
            ++at_;
        }
    }
    at_ += peek() == ";";
}

DeclarationReader::Value DeclarationReader::lookup(std::string_view name) const {
    const Value* found = to_.constants_.find(name, file_);
    return found ? *found : std::nullopt;
}

DeclarationReader::Value DeclarationReader::value(size_t first, size_t last) const {
    if (first >= last || last > tokens_.all.size())
        return std::nullopt;
    const ConstantExpression::Lookup name = [this](std::string_view of) { return lookup(of); };
    const ConstantExpression::Lookup size = [this](std::string_view of) -> Value {
        const DeclaredType type = named_type(std::string(of));
        return type.bytes ? Value(int64_t(type.bytes)) : std::nullopt;
    };
    return ConstantExpression(tokens_.all.data() + first, tokens_.all.data() + last, name, size).value();
}

DeclarationReader::Value DeclarationReader::value_until(std::string_view ends) {
    const size_t first = at_;
    while (!done() && (peek().size() != 1 || ends.find(peek()[0]) == ends.npos)) {
        if (peek() == "(")
            skip_bracket("(", ")");
        else if (peek() == "{")
            skip_bracket("{", "}");
        else
            ++at_;
    }
    return first == at_ ? std::nullopt : value(first, at_);
}

void DeclarationReader::constant(std::string_view name, Value value) {
    auto& known = to_.constants_.of(name);
    if (!value && !last_)
        return;
    const auto [at, added] = known.try_emplace(file_, value);
    if (!added && at->second != value)
        at->second.reset(); // several of one name
}

/// Their names hide constants.
void DeclarationReader::template_parameters() {
    ++at_;
    if (peek() != "<")
        return;
    const size_t first = at_;
    skip_bracket("<", ">");
    for (size_t i = first + 1; i < at_; ++i)
        if (among(tokens_.all[i], {",", ">", "="}) && is_name(tokens_.all[i - 1]))
            to_.constants_.of(tokens_.all[i - 1])[file_] = std::nullopt;
}

/// constexpr int a = 1, b = 2;
void DeclarationReader::constants() {
    do {
        ++at_;
        while (!done() && !among(peek(), {"=", ";", "(", "{", ")", "["}))
            ++at_;
        if (peek() != "=")
            return;
        const std::string_view name = tokens_.all[at_ - 1];
        ++at_;
        constant(name, value_until(",;"));
    } while (peek() == ",");
}

/// using name = type;
void DeclarationReader::alias() {
    const std::string name(peek(1));
    if (peek(2) != "=") {
        ++at_;
        return;
    }
    at_ += 3;
    DeclaredType aliased;
    uint64_t align = 1;
    if (!type(aliased, align) || peek() != ";")
        aliased = {};
    define(name, aliased);
}

void DeclarationReader::define(const std::string& name, const DeclaredType& type) {
    const auto [at, added] = to_.types_.of(name).try_emplace(file_, type);
    if (!added && at->second && at->second->bytes != type.bytes)
        at->second = at->second->bytes ? std::nullopt : std::optional(type);
}

/// __global__ void name(int* in, int n)
void DeclarationReader::kernel() {
    std::string_view name;
    for (++at_; !done() && !among(peek(), {";", "{", "}"}); ++at_) {
        if (peek() != "(" || at_ == 0 || !is_name(tokens_.all[at_ - 1]))
            continue;
        if (!among(tokens_.all[at_ - 1],
                   {"__launch_bounds__", "__cluster_dims__", "__attribute__", "__block_size__"})) {
            name = tokens_.all[at_ - 1];
            break;
        }
        skip_bracket("(", ")");
        --at_;
    }
    if (name.empty())
        return;
    const size_t first = at_ + 1;
    skip_bracket("(", ")");
    std::vector<std::string> names;
    std::string_view last;
    bool given = false; // a default argument begins
    int depth = 0;
    for (size_t i = first; i < at_; ++i) {
        const std::string_view token = tokens_.all[i];
        if (depth == 0 && (token == "," || i + 1 == at_)) {
            if (!last.empty())
                names.emplace_back(last);
            last = {};
            given = false;
        }
        depth += among(token, {"<", "(", "[", "{"});
        depth -= among(token, {">", ")", "]", "}"});
        given = given || token == "=";
        if (depth == 0 && !given && is_name(token) && !is_qualifier(token))
            last = token;
    }
    to_.parameters_.emplace(name, Declarations::InFile<std::vector<std::string>>{file_, std::move(names)});
}

DeclaredType DeclarationReader::named_type(const std::string& name) const {
    if (const auto* known = to_.types_.find(name, file_))
        return known->value_or(DeclaredType{});
    const uint64_t bytes = bytes_of_type(name);
    // Vectors of three are aligned like one element, all others like themselves, up to 16 bytes.
    return {bytes, bytes == 128 ? 64 : bytes == 12 ? 4 : std::clamp<uint64_t>(bytes, 1, 16), nullptr};
}

/// The type at the current token, with its qualifiers. False: there is none.
bool DeclarationReader::type(DeclaredType& type, uint64_t& align) {
    std::string words;
    bool any = false;
    for (; !done(); ++at_) {
        const std::string_view token = peek();
        if (aligns(token)) {
            const size_t first = at_ + 2;
            ++at_;
            skip_bracket("(", ")");
            --at_;
            align = std::max<uint64_t>(align, uint64_t(value(first, at_).value_or(1)));
        } else if (among(token, {"struct", "class", "union"})) {
            type = structure();
            any = true;
            --at_;
        } else if (among(token, {"unsigned", "signed", "long", "short", "int", "char", "double"})) {
            if (!(token == "signed" || (token == "int" && !words.empty() && words != "unsigned")))
                words += (words.empty() ? "" : " ") + std::string(token);
            any = true;
        } else if (!is_qualifier(token)) {
            if (any || !is_name(token))
                break;
            words = token;
            any = true;
            while (peek(1) == "::" && is_name(peek(2))) {
                at_ += 2;
                words = peek();
            }
            if (peek(1) == "<") {
                ++at_;
                skip_bracket("<", ">");
                --at_;
                if (words != "barrier")
                    words = "<>"; // a template's size is not known
                if (peek(1) == "::")
                    return false;
            }
        }
    }
    if (!words.empty())
        type = named_type(words);
    return any;
}

/// name[dimension] = …, another;
void DeclarationReader::declarators(const DeclaredType& type, uint64_t align, std::vector<Declared>& into) {
    for (;; ++at_) {
        Declared one{{}, type, {}, align};
        for (; among(peek(), {"*", "&", "const", "__restrict__"}); ++at_)
            if (peek() == "*" || peek() == "&")
                one.type = peek() == "*" ? DeclaredType{8, 8, nullptr} : DeclaredType{};
        if (!is_name(peek()))
            return;
        one.name = peek();
        for (++at_; peek() == "["; ++at_) {
            ++at_;
            one.dimensions.push_back(uint64_t(std::max<int64_t>(value_until("]").value_or(0), 0)));
        }
        if (peek() == "=") {
            ++at_;
            value_until(",;");
        } else if (peek() == "{") {
            skip_bracket("{", "}");
        }
        if (peek() != "," && peek() != ";")
            return; // a function, or something else
        into.push_back(std::move(one));
        if (peek() == ";")
            return;
    }
}

/// __shared__ int a[4], b;
void DeclarationReader::variables() {
    DeclaredType of;
    uint64_t align = 1;
    std::vector<Declared> found;
    if (type(of, align))
        declarators(of, align, found);
    for (Declared& one : found)
        to_.variables_.emplace(one.name, Declarations::InFile<Declared>{file_, one});
}

DeclaredType DeclarationReader::laid_out(std::vector<Declared> members) {
    auto layout = std::make_shared<Struct>();
    uint64_t end = 0, widest = 1;
    for (Declared& one : members) {
        uint64_t bytes = one.type.bytes;
        for (const uint64_t count : one.dimensions)
            bytes *= count;
        if (!bytes)
            return {};
        const uint64_t align = std::max(one.align, one.type.align);
        const uint64_t begin = round_up(end, align);
        end = begin + bytes;
        widest = std::max(widest, align);
        layout->members.emplace_back(begin, std::move(one));
    }
    return {round_up(end, widest), widest, std::move(layout)};
}

/// A member of a structure, or whatever else stands there. False: the layout is not known any more.
bool DeclarationReader::member(std::vector<Declared>& members) {
    if (is_name(peek()) && peek(1) == ":") { // public:
        at_ += 2;
        return true;
    }
    if (among(peek(), {"static", "friend", "typedef", "template", "enum", "using", "constexpr"})) {
        if (peek() == "using")
            alias();
        else if (peek() == "template")
            template_parameters();
        else if (peek(peek() == "static") == "constexpr")
            constants();
        skip_statement();
        return true;
    }
    if (among(peek(), {"virtual", "union"}))
        return false;
    const size_t first = at_, before = members.size();
    DeclaredType of;
    uint64_t align = 1;
    if (type(of, align) && peek() == ";") { // a nested structure
        ++at_;
        return true;
    }
    declarators(of, align, members);
    if (peek() == ";" && members.size() > before) {
        ++at_;
        return true;
    }
    members.resize(before);
    const bool bits = peek() == ":";
    at_ = std::max(at_, first + 1);
    skip_statement();
    return !bits;
}

/// struct name { members }: to behind its brace.
DeclaredType DeclarationReader::structure() {
    bool known = peek() != "union";
    uint64_t align = 1;
    ++at_;
    while (aligns(peek())) {
        const size_t first = at_ + 2;
        ++at_;
        skip_bracket("(", ")");
        align = std::max<uint64_t>(align, uint64_t(value(first, at_ - 1).value_or(1)));
    }
    std::string name;
    if (is_name(peek()))
        name = tokens_.all[at_++];
    if (peek() == ":") {
        known = false; // it has bases
        while (!done() && !among(peek(), {"{", ";"}))
            ++at_;
    }
    if (peek() != "{")
        return named_type(name);
    const size_t body = at_;
    skip_bracket("{", "}");
    const size_t end = at_;
    std::vector<Declared> members;
    constexpr size_t deepest = 16;
    known = known && depth_ < deepest;
    ++depth_;
    for (at_ = body + 1; known && at_ + 1 < end;)
        known = member(members);
    --depth_;
    at_ = end;
    DeclaredType result = known && !members.empty() ? laid_out(std::move(members)) : DeclaredType{};
    if (result.bytes) {
        result.align = std::max(result.align, align);
        result.bytes = round_up(result.bytes, result.align);
    }
    if (!name.empty())
        define(name, result);
    return result;
}

void DeclarationReader::read() {
    for (const auto& [name, text] : tokens_.macros) {
        const SourceTokens macro(text);
        const auto& all = macro.all;
        constant(name, all.empty()
                           ? std::nullopt
                           : ConstantExpression(
                                 &all[0], &all[0] + all.size(), [this](std::string_view of) { return lookup(of); },
                                 [](std::string_view) { return std::nullopt; })
                                 .value());
    }
    while (!done()) {
        const std::string_view token = peek();
        if (token == "template")
            template_parameters();
        else if (token == "constexpr" || (token == "const" && peek(3) == "="))
            constants();
        else if (token == "using")
            alias();
        else if (token == "__global__")
            kernel();
        else if (is_space(token))
            variables();
        else if (among(token, {"struct", "class", "union"}) && is_name(peek(1)))
            structure();
        else
            ++at_;
    }
}

} // namespace sim::ptx
