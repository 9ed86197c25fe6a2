#include "sim/ptx/declaration_tokens.h"

#include <cctype>
#include <cstddef>
#include <cstdlib>

#include "base/text.h"

namespace sim::ptx {
namespace {

bool starts_number(char c) {
    return std::isdigit(static_cast<unsigned char>(c));
}

std::optional<int64_t> number(std::string_view token) {
    std::string digits;
    for (const char c : token)
        if (c != '\'')
            digits += c;
    char* end = nullptr;
    const int64_t value = std::strtoll(digits.c_str(), &end, 0);
    while (*end == 'u' || *end == 'U' || *end == 'l' || *end == 'L' || *end == 'z')
        ++end;
    return *end ? std::nullopt : std::optional(value);
}

} // namespace

bool is_name(std::string_view token) {
    return !token.empty() && base::is_word(token[0]) && !starts_number(token[0]);
}

/// The position after blanks, comments and directives at `at`; `at` itself: a token starts there.
size_t SourceTokens::skipped(std::string_view text, size_t at) {
    const auto behind = [&](std::string_view what, size_t from) {
        const size_t found = text.find(what, from);
        return found == text.npos ? text.size() : found + what.size();
    };
    if (std::isspace(static_cast<unsigned char>(text[at])))
        return at + 1;
    if (text.substr(at, 2) == "//")
        return behind("\n", at);
    if (text.substr(at, 2) == "/*")
        return behind("*/", at + 2);
    if (text.substr(at, 3) == "R\"(")
        return behind(")\"", at);
    if (text[at] == '#')
        return directive(text, at);
    if (text[at] != '"' && text[at] != '\'')
        return at;
    size_t end = at + 1;
    while (end < text.size() && text[end] != text[at] && text[end] != '\n')
        end += text[end] == '\\' ? 2 : 1;
    return end + 1;
}

size_t SourceTokens::directive(std::string_view text, size_t at) {
    size_t end = at;
    while (end < text.size() && (text[end] != '\n' || text[end - 1] == '\\'))
        ++end;
    std::string_view line = base::trimmed(text.substr(at + 1, end - at - 1));
    line = line.substr(0, line.find("//"));
    constexpr std::string_view define = "define";
    if (line.starts_with(define)) {
        line = base::trimmed(line.substr(define.size()));
        size_t name = 0;
        while (name < line.size() && base::is_word(line[name]))
            ++name;
        if (name && (name == line.size() || line[name] != '('))
            macros.emplace_back(line.substr(0, name), base::trimmed(line.substr(name)));
    }
    return end;
}

SourceTokens::SourceTokens(std::string_view text) {
    for (size_t at = 0; at < text.size();) {
        if (const size_t next = skipped(text, at); next != at) {
            at = next;
            continue;
        }
        size_t end = at + 1;
        if (base::is_word(text[at])) {
            const bool digits = starts_number(text[at]);
            while (end < text.size() &&
                   (base::is_word(text[end]) || (digits && (text[end] == '\'' || text[end] == '.'))))
                ++end;
        } else if (text.substr(at, 2) == "::") {
            ++end;
        }
        all.push_back(text.substr(at, end - at));
        at = end;
    }
}

ConstantExpression::Value ConstantExpression::value() {
    constexpr ptrdiff_t longest = 200; // tokens
    if (end_ - at_ > longest)
        return std::nullopt;
    const Value result = binary(0);
    return at_ == end_ ? result : std::nullopt;
}

// From the operators that bind least: shifts, sums, products.
ConstantExpression::Value ConstantExpression::binary(int level) {
    if (level == 3)
        return operand();
    Value left = binary(level + 1);
    while (left) {
        const std::string_view op = peek();
        const bool here = level == 0   ? (op == "<" || op == ">") && at_ + 1 != end_ && at_[1] == op
                          : level == 1 ? op == "+" || op == "-"
                                       : op == "*" || op == "/" || op == "%";
        if (!here)
            break;
        at_ += level == 0 ? 2 : 1;
        const Value right = binary(level + 1);
        if (!right || ((op == "/" || op == "%") && *right <= 0) || (level == 0 && (*right < 0 || *right > 62)))
            return std::nullopt;
        const auto a = uint64_t(*left), b = uint64_t(*right); // they wrap around
        left = op == "+"   ? int64_t(a + b)
               : op == "-" ? int64_t(a - b)
               : op == "*" ? int64_t(a * b)
               : op == "/" ? *left / *right
               : op == "%" ? *left % *right
               : op == "<" ? int64_t(a << b)
                           : *left >> *right;
    }
    return left;
}

ConstantExpression::Value ConstantExpression::operand() {
    const std::string_view token = take();
    if (token.empty())
        return std::nullopt;
    if (token == "(") {
        const Value inner = binary(0);
        return take() == ")" ? inner : std::nullopt;
    }
    if (token == "sizeof")
        return size();
    if (starts_number(token[0]))
        return number(token);
    if (!is_name(token))
        return std::nullopt;
    std::string_view name = token;
    while (peek() == "::") {
        take();
        name = take();
    }
    return name_(name);
}

ConstantExpression::Value ConstantExpression::size() {
    if (take() != "(")
        return std::nullopt;
    std::string type;
    while (at_ != end_ && peek() != ")") {
        if (peek() != "::")
            type = type.empty() || at_[-1] == "::" ? std::string(peek()) : type + " " + std::string(peek());
        take();
    }
    return take() == ")" ? size_of_(type) : std::nullopt;
}

} // namespace sim::ptx
