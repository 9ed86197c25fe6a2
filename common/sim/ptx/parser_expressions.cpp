// Constant expressions. Source: PTX ISA, "Constant Expressions" (integers only).
#include "sim/ptx/parser.h"

namespace sim::ptx {
namespace {

constexpr int max_expression_depth = 200;

/// How tightly a binary operator binds; -1: not one. `second` is the token behind it.
int precedence(const Token& op, const Token& second) {
    if (op.kind != Token::Kind::punct)
        return -1;
    switch (op.text[0]) {
    case '|':
        return 0;
    case '^':
        return 1;
    case '&':
        return 2;
    case '<':
    case '>':
        return second.is(op.text[0]) ? 3 : -1;
    case '+':
    case '-':
        return 4;
    case '*':
    case '/':
    case '%':
        return 5;
    default:
        return -1;
    }
}

} // namespace

bool Parser::at_expression() const {
    return token_.kind == Token::Kind::integer || token_.is('(') || token_.is('-') || token_.is('~') ||
           token_.is('+') || token_.is(Token::Kind::word, "WARP_SZ") ||
           (token_.is('!') && ahead_.kind == Token::Kind::integer);
}

uint64_t Parser::parse_unary() {
    if (++expression_depth_ > max_expression_depth)
        fail("an expression is nested too deeply");
    uint64_t value = 0;
    if (accept('-')) {
        value = 0 - parse_unary();
    } else if (accept('+')) {
        value = parse_unary();
    } else if (accept('~')) {
        value = ~parse_unary();
    } else if (accept('!')) {
        value = parse_unary() == 0;
    } else if (token_.is('(') && ahead_.kind == Token::Kind::directive) { // a cast: (.s64) or (.u64)
        advance();
        if (!token_.is(Token::Kind::directive, ".s64") && !token_.is(Token::Kind::directive, ".u64"))
            fail(fmt::format("constant expressions cannot be cast to '{}'", found()));
        advance();
        expect(')', "after a cast");
        value = parse_unary();
    } else if (accept('(')) {
        value = parse_expression();
        expect(')', "after an expression");
    } else if (token_.is(Token::Kind::word, "WARP_SZ")) {
        advance();
        value = 32;
    } else {
        value = expect_integer("a number");
    }
    --expression_depth_;
    return value;
}

uint64_t Parser::parse_expression(int lowest) {
    uint64_t left = parse_unary();
    for (;;) {
        const int binds = precedence(token_, ahead_);
        if (binds < lowest)
            return left;
        const char op = token_.text[0];
        advance();
        if (op == '<' || op == '>')
            advance();
        const uint32_t line = token_.line;
        const uint64_t right = parse_expression(binds + 1);
        const auto a = static_cast<int64_t>(left), b = static_cast<int64_t>(right);
        switch (op) {
        case '|':
            left |= right;
            break;
        case '^':
            left ^= right;
            break;
        case '&':
            left &= right;
            break;
        case '<':
            left = right < 64 ? left << right : 0;
            break;
        case '>':
            left = right < 64 ? left >> right : 0;
            break;
        case '+':
            left += right;
            break;
        case '-':
            left -= right;
            break;
        case '*':
            left *= right;
            break;
        default:
            if (right == 0)
                fail_at(line, "a constant expression divides by zero");
            if (b == -1) // the one quotient that overflows
                left = op == '/' ? 0 - left : 0;
            else
                left = static_cast<uint64_t>(op == '/' ? a / b : a % b);
        }
    }
}

} // namespace sim::ptx
