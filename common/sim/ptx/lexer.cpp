#include "sim/ptx/lexer.h"

#include "base/number.h"
#include "sim/ptx/module.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <fmt/format.h>

namespace sim::ptx {
namespace {

constexpr auto name_characters = [] {
    std::array<bool, 256> table{};
    for (int c = '0'; c <= '9'; ++c)
        table[c] = true;
    for (int c = 'a'; c <= 'z'; ++c)
        table[c] = table[c - 'a' + 'A'] = true;
    table['_'] = table['$'] = true;
    return table;
}();

bool in_name(char c) {
    return name_characters[static_cast<unsigned char>(c)];
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool starts_name(char c) {
    return c == '%' || (in_name(c) && !is_digit(c));
}

[[noreturn]] void fail(uint32_t line, std::string_view what) {
    throw ParseError(line, fmt::format("PTX line {}: {}", line, what));
}

} // namespace

void Lexer::skip_space() {
    while (pos_ < text_.size()) {
        const char c = text_[pos_];
        if (c == '\n') {
            ++line_;
            ++pos_;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            ++pos_;
        } else if (c == '/' && at(pos_ + 1) == '/') {
            pos_ = text_.find('\n', pos_);
            if (pos_ == std::string_view::npos)
                pos_ = text_.size();
        } else if (c == '/' && at(pos_ + 1) == '*') {
            const uint32_t opened = line_;
            const size_t close = text_.find("*/", pos_ + 2);
            if (close == std::string_view::npos)
                fail(opened, "a comment is opened with /* and never closed");
            for (; pos_ < close; ++pos_)
                line_ += text_[pos_] == '\n';
            pos_ = close + 2;
        } else if (c == '#' && (pos_ == 0 || text_[pos_ - 1] == '\n')) {
            pos_ = std::min(text_.find('\n', pos_), text_.size()); // a preprocessor's line marker
        } else if (c == '\0' && text_.find_first_not_of('\0', pos_) == std::string_view::npos) {
            pos_ = text_.size(); // fat binaries pad PTX with zeros
        } else {
            return;
        }
    }
}

/// `dots`: the name may go on with .modifiers; "::" followed by a name is always part of it.
size_t Lexer::end_of_name(size_t i, bool dots) const {
    for (;;) {
        while (in_name(at(i)))
            ++i;
        if (dots && at(i) == '.' && in_name(at(i + 1)))
            i += 2;
        else if (at(i) == ':' && at(i + 1) == ':' && in_name(at(i + 2)))
            i += 3;
        else
            return i;
    }
}

Token Lexer::next() {
    skip_space();
    Token token;
    token.line = line_;
    if (pos_ >= text_.size())
        return token;
    const char c = text_[pos_];
    size_t end = pos_ + 1;
    if (starts_name(c) && (c != '%' || in_name(at(pos_ + 1)))) {
        token.kind = Token::Kind::word;
        end = end_of_name(end, true);
    } else if (c == '.' && in_name(at(pos_ + 1)) && !is_digit(at(pos_ + 1))) {
        token.kind = Token::Kind::directive;
        end = end_of_name(end, false);
    } else if (is_digit(c) || (c == '.' && is_digit(at(pos_ + 1)))) {
        return number(token);
    } else if (c == '"') {
        return string(token);
    } else if (std::string_view("{}[]()<>,;:@!|+-*/%=&^~?").find(c) != std::string_view::npos) {
        token.kind = Token::Kind::punct;
    } else if (c >= ' ' && c < 127) {
        fail(line_, fmt::format("unexpected character '{}'", c));
    } else {
        fail(line_, fmt::format("unexpected byte 0x{:02x}", static_cast<unsigned char>(c)));
    }
    token.text = text_.substr(pos_, end - pos_);
    pos_ = end;
    return token;
}

Token Lexer::number(Token token) {
    size_t end = pos_;
    while (in_name(at(end)))
        ++end;
    std::string_view word = text_.substr(pos_, end - pos_);
    const auto bad = [&] { fail(token.line, fmt::format("'{}' is not a number", word)); };
    const auto parse = [&](std::string_view digits, int base) {
        const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), token.value, base);
        if (error == std::errc::result_out_of_range)
            fail(token.line, fmt::format("the number '{}' does not fit in 64 bits", word));
        if (error != std::errc() || stop != digits.data() + digits.size())
            bad();
    };
    const char kind = word.size() > 1 && word[0] == '0' ? word[1] : '\0';
    if (kind == 'f' || kind == 'F' || kind == 'd' || kind == 'D') {
        token.kind = Token::Kind::real;
        token.width = kind == 'f' || kind == 'F' ? 32 : 64;
        if (word.size() != 2 + size_t{token.width} / 4)
            fail(token.line, fmt::format("'{}' needs {} hexadecimal digits after 0{}", word, token.width / 4, kind));
        parse(word.substr(2), 16);
    } else if (kind != 'x' && kind != 'X' && (at(end) == '.' || word.find_first_of("eE") != std::string_view::npos)) {
        double value = 0; // decimal floating-point literal: a double
        const char* first = text_.data() + pos_;
        const auto [stop, error] = base::read_double(first, text_.data() + text_.size(), value);
        end = pos_ + size_t(stop - first);
        word = text_.substr(pos_, end - pos_);
        if (error != std::errc() || in_name(at(end)))
            bad();
        token.kind = Token::Kind::real;
        token.width = 64;
        token.value = std::bit_cast<uint64_t>(value);
    } else {
        token.kind = Token::Kind::integer;
        std::string_view digits = word;
        if (digits.size() > 1 && (digits.back() == 'U' || digits.back() == 'u'))
            digits.remove_suffix(1);
        if (kind == 'x' || kind == 'X')
            parse(digits.substr(2), 16);
        else if (kind == 'b' || kind == 'B')
            parse(digits.substr(2), 2);
        else
            parse(digits, digits.size() > 1 && digits[0] == '0' ? 8 : 10);
    }
    token.text = word;
    pos_ = end;
    return token;
}

/// Where the closing quote is, or the end of its line.
size_t Lexer::end_of_string(size_t quote) const {
    size_t end = quote + 1;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n')
        end += text_[end] == '\\' && at(end + 1) != '\n' ? 2 : 1;
    return end;
}

Token Lexer::string(Token token) {
    const size_t end = end_of_string(pos_);
    if (at(end) != '"')
        fail(token.line, "a string is not closed on its line");
    token.kind = Token::Kind::string;
    token.text = text_.substr(pos_ + 1, end - pos_ - 1);
    pos_ = end + 1;
    return token;
}

/// Whether the word with this dot begins with a dot, too: ".visible.shared", but not "ld.shared".
bool Lexer::begins_directive(size_t dot) const {
    while (dot > 0 && (in_name(text_[dot - 1]) || text_[dot - 1] == '.' || text_[dot - 1] == '%'))
        --dot;
    return text_[dot] == '.';
}

Lexer::Body Lexer::skip_body() {
    constexpr auto of_interest = [] {
        std::array<bool, 256> table{};
        for (const char c : std::string_view("{};.\n\"/"))
            table[static_cast<unsigned char>(c)] = true;
        return table;
    }();
    Body body;
    for (uint64_t depth = 0;; ++pos_) {
        while (pos_ < text_.size() && !of_interest[static_cast<unsigned char>(text_[pos_])])
            ++pos_;
        if (pos_ >= text_.size())
            return body;
        switch (text_[pos_]) {
        case '{':
            ++depth;
            break;
        case '}':
            if (--depth == 0) {
                ++pos_;
                body.is_closed = true;
                return body;
            }
            break;
        case ';':
            ++body.semicolons;
            break;
        case '\n':
            ++line_;
            if (at(pos_ + 1) == '#')
                pos_ = std::min(text_.find('\n', pos_ + 1), text_.size()) - 1;
            break;
        case '.': {
            const std::string_view word = text_.substr(pos_, 8);
            if (word.starts_with(".shared"))
                body.declares_shared = body.declares_shared || begins_directive(pos_);
            else if (word.starts_with(".global") || word.starts_with(".const") || word.starts_with(".file") ||
                     word.starts_with(".section"))
                body.declares_globals = body.declares_globals || begins_directive(pos_);
            break;
        }
        case '"': // if it is not closed, the parser of the body will say so
            if (const size_t end = end_of_string(pos_); at(end) == '"')
                pos_ = end;
            break;
        default: // a comment, or a division
            if (at(pos_ + 1) == '/') {
                pos_ = std::min(text_.find('\n', pos_), text_.size()) - 1;
            } else if (at(pos_ + 1) == '*') {
                const size_t close = std::min(text_.find("*/", pos_ + 2), text_.size());
                line_ += uint32_t(std::count(text_.begin() + ptrdiff_t(pos_), text_.begin() + ptrdiff_t(close), '\n'));
                pos_ = close + 1;
            }
        }
    }
}

std::string_view Lexer::skip_block() {
    const size_t begin = pos_;
    const uint32_t opened = line_;
    uint64_t depth = 0;
    while (pos_ < text_.size()) {
        skip_space();
        const char c = at(pos_);
        if (c == '"') {
            Token token;
            token.line = line_;
            string(token);
            continue;
        }
        pos_ = std::min(pos_ + 1, text_.size());
        depth += c == '{';
        if (c == '}' && --depth == 0)
            return text_.substr(begin, pos_ - begin);
        if (depth == 0)
            fail(line_, fmt::format("expected '{{' but found '{}'", c));
    }
    fail(opened, "a '{' is never closed");
}

} // namespace sim::ptx
