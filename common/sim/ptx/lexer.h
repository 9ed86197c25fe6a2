// Splits PTX text into tokens on demand. Source: PTX ISA, "Lexical Conventions" and "Syntax".
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/ptx/module.h"

namespace sim::ptx {

struct Token {
    enum class Kind : uint8_t {
        end,
        word,      ///< identifier, register, or opcode with its modifiers: "%r1", "%tid.x", "ld.shared::cta.b32"
        directive, ///< with its dot: ".param", ".b32", ".L2::128B"
        integer,   ///< `value`
        real,      ///< `value` holds the bits of a float (width 32) or double (width 64)
        string,    ///< text without the quotes
        punct,     ///< `text` is one character
    };
    Kind kind = Kind::end;
    uint8_t width = 0;
    uint32_t line = 1;
    uint64_t value = 0;
    std::string_view text;

    bool is(char c) const { return kind == Kind::punct && text[0] == c; }
    bool is(Kind k, std::string_view t) const { return kind == k && text == t; }
};

class Lexer {
  public:
    /// The text must outlive the lexer and its tokens.
    explicit Lexer(std::string_view text) : text_(text) {}

    /// The next token. Throws ParseError on a character or number that PTX does not know.
    Token next();
    /// Skips a balanced { } block without looking at its words, and returns it; the next character must open it.
    std::string_view skip_block();
    /// Skips a function's body and notes what may concern others; the next character must open it.
    struct Body {
        bool is_closed = false;
        bool declares_globals = false; ///< or files; true, too, where it only looks like it
        bool declares_shared = false;  ///< the same
        uint32_t semicolons = 0;       ///< no fewer instructions than there are
    };
    Body skip_body();
    void go_to(Mark mark) {
        pos_ = mark.at;
        line_ = mark.line;
    }
    uint32_t line() const { return line_; }

  private:
    void skip_space();
    Token number(Token token);
    Token string(Token token);
    size_t end_of_name(size_t at, bool dots) const;
    bool begins_directive(size_t dot) const;
    size_t end_of_string(size_t quote) const;
    char at(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

    std::string_view text_;
    size_t pos_ = 0;
    uint32_t line_ = 1;
};

} // namespace sim::ptx
