#include "launch/formula.h"

#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/number.h"
#include "base/problem.h"

namespace launch {

using base::Problem;

struct Formula::Node {
    enum class Kind : uint8_t { number, name, element, binary, negate, invert, choose, call, sum };
    Kind kind = Kind::number;
    double number = 0;
    std::string text; ///< a name, an operator or a function
    std::vector<std::unique_ptr<const Node>> parts;
};

namespace {

using Node = Formula::Node;
using Ptr = std::unique_ptr<const Node>;

// From the loosest to the tightest.
constexpr std::array<std::array<std::string_view, 4>, 10> operators{{{"||"},
                                                                     {"&&"},
                                                                     {"|"},
                                                                     {"^"},
                                                                     {"&"},
                                                                     {"==", "!="},
                                                                     {"<=", ">=", "<", ">"},
                                                                     {"<<", ">>"},
                                                                     {"+", "-"},
                                                                     {"*", "/", "%"}}};

class Parser {
  public:
    explicit Parser(std::string_view text) : text_(text) {}

    Ptr all() {
        Ptr node = choice();
        if (skip(), at_ < text_.size())
            fail("an operator");
        return node;
    }

  private:
    [[noreturn]] void fail(std::string_view wanted) const {
        throw Problem{
            fmt::format("in the formula \"{}\", {} is missing before \"{}\"", text_, wanted, text_.substr(at_)),
            "write it like \"2 * in[i] + 1\""};
    }

    void skip() {
        while (at_ < text_.size() && text_[at_] == ' ')
            ++at_;
    }

    bool take(std::string_view what) {
        skip();
        if (!text_.substr(at_).starts_with(what))
            return false;
        at_ += what.size();
        return true;
    }

    void need(std::string_view what) {
        if (!take(what))
            fail(what);
    }

    static std::unique_ptr<Node> make(Node::Kind kind, std::string text = {}) {
        auto node = std::make_unique<Node>();
        node->kind = kind;
        node->text = std::move(text);
        return node;
    }

    Ptr choice() {
        Ptr condition = binary(0);
        if (!take("?"))
            return condition;
        auto node = make(Node::Kind::choose);
        node->parts.push_back(std::move(condition));
        node->parts.push_back(choice());
        need(":");
        node->parts.push_back(choice());
        return node;
    }

    std::string_view operator_of(size_t level) {
        skip();
        for (const std::string_view one : operators[level]) {
            const std::string_view rest = text_.substr(at_);
            // "&" is no part of "&&", nor "<" of "<<".
            if (!one.empty() && rest.starts_with(one) &&
                !(one.size() == 1 && rest.size() > 1 && rest[1] == one[0] && one != "-" && one != "+"))
                return at_ += one.size(), one;
        }
        return {};
    }

    Ptr binary(size_t level) {
        if (level == operators.size())
            return unary();
        if (++depth_ > 1000)
            fail("the end");
        Ptr left = binary(level + 1);
        for (std::string_view one; one = operator_of(level), !one.empty();) {
            auto node = make(Node::Kind::binary, std::string(one));
            node->parts.push_back(std::move(left));
            node->parts.push_back(binary(level + 1));
            left = std::move(node);
        }
        --depth_;
        return left;
    }

    Ptr unary() {
        for (const auto& [text, kind] : {std::pair{"-", Node::Kind::negate}, std::pair{"!", Node::Kind::invert}})
            if (take(text)) {
                auto node = make(kind);
                node->parts.push_back(unary());
                return node;
            }
        if (take("(")) {
            Ptr inside = choice();
            need(")");
            return inside;
        }
        skip();
        const char first = at_ < text_.size() ? text_[at_] : '\0';
        return (first >= '0' && first <= '9') || first == '.' ? number() : name();
    }

    Ptr number() {
        auto node = make(Node::Kind::number);
        const char* const begin = text_.data() + at_;
        const auto read = base::read_double(begin, text_.data() + text_.size(), node->number);
        if (read.ec != std::errc())
            fail("a number");
        at_ += size_t(read.ptr - begin);
        return node;
    }

    Ptr name() {
        const size_t begin = at_;
        const auto letter = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
        };
        while (at_ < text_.size() && letter(text_[at_]))
            ++at_;
        std::string word(text_.substr(begin, at_ - begin));
        if (word.empty())
            fail("a number or a name");
        if (take("[")) {
            auto node = make(Node::Kind::element, word);
            node->parts.push_back(choice());
            need("]");
            return node;
        }
        return take("(") ? call(word) : make(Node::Kind::name, word);
    }

    Ptr call(const std::string& word) {
        auto node = make(word == "sum" ? Node::Kind::sum : Node::Kind::call, word);
        do
            node->parts.push_back(choice());
        while (take(","));
        need(")");
        const size_t wanted = word == "sum"                                        ? 4
                              : word == "min" || word == "max" || word == "random" ? 2
                              : word == "abs" || word == "floor" || word == "sqrt" ? 1
                                                                                   : 0;
        if (!wanted || node->parts.size() != wanted || (wanted == 4 && node->parts[0]->kind != Node::Kind::name))
            throw Problem{fmt::format("{}() with {} arguments is no function of formulas", word, node->parts.size()),
                          "there are min(a, b), max(a, b), abs(a), floor(a), sqrt(a), random(seed, k) and "
                          "sum(k, from, to, term)"};
        return node;
    }

    std::string_view text_;
    size_t at_ = 0;
    int depth_ = 0;
};

double integers(const std::string& op, int64_t a, int64_t b) {
    switch (op[0]) {
    case '%':
        return b ? double(a % b) : std::nan("");
    case '&':
        return double(a & b);
    case '|':
        return double(a | b);
    case '^':
        return double(a ^ b);
    default:
        return op == "<<" ? double(int64_t(uint64_t(a) << (b & 63))) : double(a >> (b & 63));
    }
}

double binary(const std::string& op, double a, double b) {
    if (op == "&&")
        return a != 0 && b != 0;
    if (op == "||")
        return a != 0 || b != 0;
    if (op == "==")
        return a == b;
    if (op == "!=")
        return a != b;
    if (op == "<=")
        return a <= b;
    if (op == ">=")
        return a >= b;
    if (op == "<")
        return a < b;
    if (op == ">")
        return a > b;
    if (op == "+")
        return a + b;
    if (op == "-")
        return a - b;
    if (op == "*")
        return a * b;
    if (op == "/")
        return a / b;
    return integers(op, int64_t(a), int64_t(b));
}

double value(const Node& node, Names& names);

double sum(const Node& node, Names& names) {
    const double from = value(*node.parts[1], names), to = value(*node.parts[2], names);
    if (!(to - from <= 1e6))
        throw Problem{fmt::format("sum() from {} to {} has more than a million terms", from, to), "add up fewer"};
    double& k = names.numbers[node.parts[0]->text];
    const double before = k;
    double total = 0;
    for (k = from; k < to; ++k)
        total += value(*node.parts[3], names);
    k = before;
    return total;
}

// SplitMix64, at place k of the row that the seed begins.
double random(double seed, double k) {
    uint64_t bits = uint64_t(int64_t(seed)) * 0xD1342543DE82EF95 + (uint64_t(int64_t(k)) + 1) * 0x9E3779B97F4A7C15;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    return double((bits ^ (bits >> 31)) >> 11) * 0x1p-53;
}

double call(const std::string& function, double a, double b) {
    return function == "min"      ? std::fmin(a, b)
           : function == "max"    ? std::fmax(a, b)
           : function == "abs"    ? std::fabs(a)
           : function == "floor"  ? std::floor(a)
           : function == "random" ? random(a, b)
                                  : std::sqrt(a);
}

double value(const Node& node, Names& names) {
    const auto part = [&](size_t i) { return value(*node.parts[i], names); };
    switch (node.kind) {
    case Node::Kind::number:
        return node.number;
    case Node::Kind::name: {
        const auto found = names.numbers.find(node.text);
        if (found == names.numbers.end())
            throw Problem{fmt::format("the formulas know no {}", node.text),
                          "they know i, n (the number of elements) and the buffers, as in in[i]"};
        return found->second;
    }
    case Node::Kind::element:
        return names.element(node.text, int64_t(part(0)));
    case Node::Kind::binary:
        return binary(node.text, part(0), part(1));
    case Node::Kind::negate:
        return -part(0);
    case Node::Kind::invert:
        return part(0) == 0;
    case Node::Kind::choose:
        return part(0) != 0 ? part(1) : part(2);
    case Node::Kind::call:
        return call(node.text, part(0), node.parts.size() > 1 ? part(1) : 0);
    case Node::Kind::sum:
        return sum(node, names);
    }
    return 0;
}

} // namespace

Formula::Formula(std::string_view text) : root_(Parser(text).all()) {}
Formula::~Formula() = default;

double Formula::value(Names& names) const {
    return launch::value(*root_, names);
}

} // namespace launch
