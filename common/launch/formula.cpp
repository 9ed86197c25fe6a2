#include "launch/formula.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/number.h"
#include "base/problem.h"

namespace launch {

using base::Problem;

struct Formula::Node {
    enum class Kind : uint8_t { number, name, element, apply, choose, sum };
    Kind kind = Kind::number;
    double number = 0;
    double* slot = nullptr;                       ///< of a name, or of a sum's variable
    std::string buffer;                           ///< of an element
    std::span<const double> elements;             ///< of that buffer
    double (*function)(double, double) = nullptr; ///< of an operator or a call; with one operand, the other is 0
    std::vector<std::unique_ptr<const Node>> parts;
};

namespace {

using Node = Formula::Node;
using Ptr = std::unique_ptr<const Node>;

struct Function {
    std::string_view name;
    double (*apply)(double, double) = nullptr;
    size_t operands = 2;
};

template <class Operator>
double of(double a, double b) {
    return double(Operator()(a, b));
}

/// The number without its fraction; the least integer stands for those that are too large, and for what is no number.
int64_t integer(double number) {
    return number >= -0x1p63 && number < 0x1p63 ? int64_t(number) : INT64_MIN;
}

template <class Operator>
double of_integers(double a, double b) {
    return double(Operator()(integer(a), integer(b)));
}

double remainder(double a, double b) {
    const int64_t divisor = integer(b);
    if (divisor == -1) // a processor divides, and INT64_MIN / -1 is too large for it
        return 0;
    return divisor ? double(integer(a) % divisor) : std::nan("");
}

double shift_left(double a, double b) {
    return double(int64_t(uint64_t(integer(a)) << (integer(b) & 63)));
}

double shift_right(double a, double b) {
    return double(integer(a) >> (integer(b) & 63));
}

// From the loosest to the tightest.
constexpr std::array<std::array<Function, 4>, 10> operators{{
    {{{"||", of<std::logical_or<>>}}},
    {{{"&&", of<std::logical_and<>>}}},
    {{{"|", of_integers<std::bit_or<>>}}},
    {{{"^", of_integers<std::bit_xor<>>}}},
    {{{"&", of_integers<std::bit_and<>>}}},
    {{{"==", of<std::equal_to<>>}, {"!=", of<std::not_equal_to<>>}}},
    {{{"<=", of<std::less_equal<>>},
      {">=", of<std::greater_equal<>>},
      {"<", of<std::less<>>},
      {">", of<std::greater<>>}}},
    {{{"<<", shift_left}, {">>", shift_right}}},
    {{{"+", of<std::plus<>>}, {"-", of<std::minus<>>}}},
    {{{"*", of<std::multiplies<>>}, {"/", of<std::divides<>>}, {"%", remainder}}},
}};

// SplitMix64, at place k of the row that the seed begins.
double random(double seed, double k) {
    uint64_t bits = uint64_t(integer(seed)) * 0xD1342543DE82EF95 + (uint64_t(integer(k)) + 1) * 0x9E3779B97F4A7C15;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    return double((bits ^ (bits >> 31)) >> 11) * 0x1p-53;
}

constexpr std::array<Function, 6> functions{{{"min", [](double a, double b) { return std::fmin(a, b); }},
                                             {"max", [](double a, double b) { return std::fmax(a, b); }},
                                             {"abs", [](double a, double) { return std::fabs(a); }, 1},
                                             {"floor", [](double a, double) { return std::floor(a); }, 1},
                                             {"sqrt", [](double a, double) { return std::sqrt(a); }, 1},
                                             {"random", random}}};

constexpr std::array<Function, 2> signs{
    {{"-", [](double a, double) { return -a; }, 1}, {"!", [](double a, double) { return double(a == 0); }, 1}}};

class Parser {
  public:
    Parser(std::string_view text, Names& names) : text_(text), names_(names) {}

    Ptr all() {
        constexpr size_t longest = 10'000; // what is nested may be as deep as it is long
        if (text_.size() > longest)
            throw Problem{fmt::format("the formula has {} characters, and may have {}", text_.size(), longest),
                          "write the elements to a file, and its name there"};
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

    static std::unique_ptr<Node> make(Node::Kind kind) {
        auto node = std::make_unique<Node>();
        node->kind = kind;
        return node;
    }

    static std::unique_ptr<Node> make(const Function& function) {
        auto node = make(Node::Kind::apply);
        node->function = function.apply;
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

    const Function* operator_of(size_t level) {
        skip();
        for (const Function& candidate : operators[level]) {
            const std::string_view one = candidate.name, rest = text_.substr(at_);
            // "&" is no part of "&&", nor "<" of "<<".
            if (!one.empty() && rest.starts_with(one) &&
                !(one.size() == 1 && rest.size() > 1 && rest[1] == one[0] && one != "-" && one != "+"))
                return at_ += one.size(), &candidate;
        }
        return nullptr;
    }

    Ptr binary(size_t level) {
        if (level == operators.size())
            return unary();
        if (++depth_ > 1000)
            fail("the end");
        Ptr left = binary(level + 1);
        while (const Function* one = operator_of(level)) {
            auto node = make(*one);
            node->parts.push_back(std::move(left));
            node->parts.push_back(binary(level + 1));
            left = std::move(node);
        }
        --depth_;
        return left;
    }

    Ptr unary() {
        for (const Function& sign : signs)
            if (take(sign.name)) {
                auto node = make(sign);
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

    std::string word() {
        skip();
        const size_t begin = at_;
        const auto letter = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
        };
        while (at_ < text_.size() && letter(text_[at_]))
            ++at_;
        return std::string(text_.substr(begin, at_ - begin));
    }

    Ptr name() {
        const std::string name = word();
        if (name.empty())
            fail("a number or a name");
        if (take("[")) {
            auto node = make(Node::Kind::element);
            node->buffer = name;
            node->elements = names_.elements(name);
            node->parts.push_back(choice());
            need("]");
            return node;
        }
        if (take("("))
            return name == "sum" ? sum() : call(name);
        auto node = make(Node::Kind::name);
        const auto found = names_.numbers.find(name);
        if (found == names_.numbers.end())
            throw Problem{fmt::format("the formulas know no {}", name),
                          "they know i, n (the number of elements) and the buffers, as in in[i]"};
        node->slot = &found->second;
        return node;
    }

    void arguments(Node& node) {
        do
            node.parts.push_back(choice());
        while (take(","));
        need(")");
    }

    [[noreturn]] static void no_function(const std::string& name, size_t arguments) {
        throw Problem{fmt::format("{}() with {} arguments is no function of formulas", name, arguments),
                      "there are min(a, b), max(a, b), abs(a), floor(a), sqrt(a), random(seed, k) and "
                      "sum(k, from, to, term)"};
    }

    Ptr call(const std::string& name) {
        const auto found =
            std::find_if(functions.begin(), functions.end(), [&](auto& one) { return one.name == name; });
        auto node = found == functions.end() ? make(Node::Kind::apply) : make(*found);
        arguments(*node);
        if (found == functions.end() || node->parts.size() != found->operands)
            no_function(name, node->parts.size());
        return node;
    }

    Ptr sum() {
        auto node = make(Node::Kind::sum);
        const std::string variable = word();
        node->slot = &names_.numbers[variable]; // the other arguments may name it
        need(",");
        arguments(*node);
        if (variable.empty() || node->parts.size() != 3)
            no_function("sum", 1 + node->parts.size());
        return node;
    }

    std::string_view text_;
    Names& names_;
    size_t at_ = 0;
    int depth_ = 0;
};

double value(const Node& node, double& terms);

/// `terms`: how many all sums of the formula have had.
double sum(const Node& node, double& terms) {
    const double from = value(*node.parts[0], terms), to = value(*node.parts[1], terms), before = *node.slot;
    const double count = std::ceil(to - from);
    if (!(count <= 1e6) || (count > 0 && (terms += count) > 1e6))
        throw Problem{fmt::format("with sum() from {} to {}, more than a million terms are added up", from, to),
                      "add up fewer"};
    double total = 0;
    for (double i = 0; i < count; ++i) {
        *node.slot = from + i;
        total += value(*node.parts[2], terms);
    }
    *node.slot = before;
    return total;
}

double element(const Node& node, double& terms) {
    const int64_t index = integer(value(*node.parts[0], terms));
    if (index < 0 || uint64_t(index) >= node.elements.size())
        throw Problem{fmt::format("{}[{}] does not exist, or nothing is in it before the launch", node.buffer, index),
                      "use elements of buffers that have a \"fill\""};
    return node.elements[size_t(index)];
}

double value(const Node& node, double& terms) {
    switch (node.kind) {
    case Node::Kind::number:
        return node.number;
    case Node::Kind::name:
        return *node.slot;
    case Node::Kind::element:
        return element(node, terms);
    case Node::Kind::apply: {
        const double first = value(*node.parts[0], terms);
        return node.function(first, node.parts.size() > 1 ? value(*node.parts[1], terms) : 0);
    }
    case Node::Kind::choose:
        return value(*node.parts[value(*node.parts[0], terms) != 0 ? 1 : 2], terms);
    case Node::Kind::sum:
        return sum(node, terms);
    }
    return 0;
}

} // namespace

Formula::Formula(std::string_view text, Names& names) : root_(Parser(text, names).all()) {}
Formula::~Formula() = default;

double Formula::value() const {
    double terms = 0;
    return launch::value(*root_, terms);
}

} // namespace launch
