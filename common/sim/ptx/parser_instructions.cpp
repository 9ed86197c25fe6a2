#include "sim/ptx/parser.h"

#include <utility>

#include "sim/ptx/special_registers.h"

namespace sim::ptx {
namespace {

constexpr int max_operand_depth = 8;
constexpr size_t max_operands = 512;

} // namespace

/// [@[!]p] opcode operand, ... ;
void Parser::parse_instruction() {
    Instruction instruction;
    instruction.location = location_;
    instruction.used_bytes = std::exchange(used_bytes_, 0);
    run_ended_ = true;
    if (accept('@')) {
        instruction.guard_negated = accept('!');
        instruction.guard = static_cast<int32_t>(expect_predicate());
    }
    instruction.text_line = token_.line;
    instruction.opcode = expect_word("an instruction");
    while (token_.kind == Token::Kind::directive) { // "ld .global .u32" is the same as "ld.global.u32"
        instruction.opcode += token_.text;
        advance();
    }
    const std::string_view name = std::string_view(instruction.opcode).substr(0, instruction.opcode.find('.'));
    if (name[0] < 'a' || name[0] > 'z')
        fail_at(instruction.text_line, fmt::format("'{}' is not an instruction", instruction.opcode));
    if (name == "call") {
        parse_call(instruction);
    } else if (!token_.is(';')) {
        do {
            const uint32_t line = token_.line;
            const std::string_view text = token_.text;
            Operand operand = parse_operand();
            instruction.operands.push_back(std::move(operand));
            if (defers_)
                defer(instruction, line, text);
            if (instruction.operands.size() > max_operands)
                fail("an instruction has too many operands");
        } while (accept(','));
    }
    expect(';', fmt::format("after '{}'", instruction.opcode));
    code_->body.push_back(std::move(instruction));
}

/// The last operand of `instruction` is a name that is not known yet.
void Parser::defer(Instruction& instruction, uint32_t line, std::string_view name) {
    defers_ = false;
    PendingName pending;
    pending.instruction = static_cast<uint32_t>(code_->body.size());
    pending.operand = static_cast<uint32_t>(instruction.operands.size() - 1);
    pending.scope = scope_;
    pending.line = line;
    pending.name = name;
    pending_.push_back(pending);
}

/// call [(returns),] callee [, (arguments)] [, prototype or list of targets] ;
void Parser::parse_call(Instruction& instruction) {
    if (token_.is('(')) {
        instruction.call_returns = parse_call_list();
        expect(',', "after the return values of a call");
    }
    const uint32_t line = token_.line;
    const std::string_view callee = expect_word("a function's name or a register");
    Operand target;
    if (!resolve(callee, target))
        fail_at(line, fmt::format("unknown function '{}'", callee));
    if (target.kind != Operand::Kind::function && target.kind != Operand::Kind::reg)
        fail_at(line, fmt::format("'{}' cannot be called: it is neither a function nor a register", callee));
    const bool direct = target.kind == Operand::Kind::function;
    instruction.operands.push_back(std::move(target));
    if (accept(',')) {
        bool more = true;
        if (token_.is('(')) {
            instruction.call_args = parse_call_list();
            more = accept(',');
        }
        if (more) {
            const uint32_t list_line = token_.line;
            const std::string_view list = expect_word("a .callprototype's or .calltargets' label");
            instruction.operands.emplace_back();
            defer(instruction, list_line, list);
        }
    }
    if (!direct)
        return;
    const Function& function = *find_function(callee);
    const bool variadic = !function.params.empty() && function.params.back().bytes == 0;
    if (instruction.call_returns.size() != function.returns.size() ||
        (instruction.call_args.size() != function.params.size() && !variadic))
        fail_at(line, fmt::format("'{}' takes {} and returns {} values, but is called with {} and {}", callee,
                                  function.params.size(), function.returns.size(), instruction.call_args.size(),
                                  instruction.call_returns.size()));
}

std::vector<Operand> Parser::parse_call_list() {
    std::vector<Operand> list;
    expect('(', "before the arguments of a call");
    if (accept(')'))
        return list;
    do {
        const uint32_t line = token_.line;
        const std::string_view text = token_.text;
        list.push_back(parse_operand(1));
        if (defers_)
            fail_at(line, fmt::format("unknown name '{}' in a call", text));
        if (list.size() > 10'000)
            fail("a call has too many arguments");
    } while (accept(','));
    expect(')', "after the arguments of a call");
    return list;
}

uint32_t Parser::expect_predicate() {
    const uint32_t line = token_.line;
    const std::string_view name = expect_word("a predicate register");
    Symbol symbol;
    if (!find_symbol(name, symbol) || symbol.kind != Symbol::Kind::reg)
        fail_at(line, fmt::format("unknown register '{}'", name));
    if (code_->registers[symbol.index].type.kind != Kind::predicate)
        fail_at(line, fmt::format("'{}' guards an instruction but is not a .pred register", name));
    return symbol.index;
}

/// Nested operands (depth > 0) cannot be labels, so every name in them has to be known.
Operand Parser::parse_operand(int depth) {
    if (depth > max_operand_depth)
        fail("operands are nested too deeply");
    if (token_.is('{'))
        return parse_vector(depth);
    if (token_.is('['))
        return parse_address(depth);
    if (token_.kind == Token::Kind::real || at_expression() || (token_.is('-') && ahead_.kind == Token::Kind::real))
        return parse_immediate();
    const bool negated = accept('!');
    const uint32_t line = token_.line;
    const std::string_view text = token_.text;
    Operand operand = parse_name();
    if (defers_ && (depth > 0 || negated))
        fail_at(line, fmt::format("unknown name '{}'", text));
    if (negated) {
        if (operand.kind != Operand::Kind::reg)
            fail_at(line, fmt::format("'!' needs a predicate register, not '{}'", text));
        operand.negated = true;
    }
    if (token_.is('|') && (operand.kind == Operand::Kind::reg || operand.kind == Operand::Kind::sink)) {
        advance();
        Operand pair;
        pair.kind = Operand::Kind::pair;
        pair.elements.reserve(2);
        pair.elements.push_back(std::move(operand));
        const uint32_t second_line = token_.line;
        const std::string_view second = token_.text;
        pair.elements.push_back(parse_name());
        if (defers_)
            fail_at(second_line, fmt::format("unknown name '{}'", second));
        return pair;
    }
    return operand;
}

/// {a, b, ...}
Operand Parser::parse_vector(int depth) {
    Operand vector;
    vector.kind = Operand::Kind::vector;
    expect('{', "before a vector");
    do {
        vector.elements.push_back(parse_operand(depth + 1));
        if (vector.elements.size() > max_operands)
            fail("a vector has too many elements");
    } while (accept(','));
    expect('}', "after a vector's elements");
    return vector;
}

/// [base], [base + offset], [map, {c0, c1}]
Operand Parser::parse_address(int depth) {
    Operand address;
    address.kind = Operand::Kind::address;
    expect('[', "before an address");
    const uint32_t line = token_.line;
    Operand base = parse_operand(depth + 1);
    switch (base.kind) {
    case Operand::Kind::reg:
    case Operand::Kind::variable:
    case Operand::Kind::param:
    case Operand::Kind::immediate:
        break;
    default:
        fail_at(line, "an address needs a register, a variable, a parameter or a number between '[' and ']'");
    }
    if (base.is_float || base.negated)
        fail_at(line, "an address is an integer");
    if (token_.is('+') || token_.is('-'))
        parse_offset(base);
    address.offset = base.offset;
    base.offset = 0;
    address.elements.push_back(std::move(base));
    while (accept(',')) {
        address.elements.push_back(parse_operand(depth + 1));
        if (address.elements.size() > 4)
            fail("an address has too many parts");
    }
    expect(']', "after an address");
    return address;
}

/// A sum of constants behind an address: +8, -4, +(4*2), +-4
void Parser::parse_offset(Operand& operand) {
    while (token_.is('+') || token_.is('-')) {
        const bool minus = token_.is('-');
        advance();
        const uint64_t value = parse_unary();
        const auto sum = static_cast<uint64_t>(operand.offset);
        operand.offset = static_cast<int64_t>(minus ? sum - value : sum + value);
    }
}

Operand Parser::parse_immediate() {
    Operand operand;
    operand.kind = Operand::Kind::immediate;
    const bool minus = token_.is('-') && ahead_.kind == Token::Kind::real;
    if (minus || (token_.is('+') && ahead_.kind == Token::Kind::real))
        advance();
    if (token_.kind == Token::Kind::real) {
        operand.is_float = true;
        operand.width = token_.width;
        operand.bits = token_.value ^ (minus ? uint64_t{1} << (token_.width - 1) : 0);
        advance();
    } else {
        operand.bits = parse_expression();
    }
    return operand;
}

/// A register, parameter, variable, function, special register or `_`; defers_ is set if it is none of them.
Operand Parser::parse_name() {
    const std::string_view name = expect_word("an operand");
    Operand operand;
    if (name == "_") {
        operand.kind = Operand::Kind::sink;
        return operand;
    }
    defers_ = !resolve(name, operand);
    if ((operand.kind == Operand::Kind::variable || operand.kind == Operand::Kind::param) &&
        (token_.is('+') || token_.is('-')))
        parse_offset(operand);
    return operand;
}

bool Parser::find_symbol(std::string_view name, Symbol& symbol) const {
    size_t digits = name.size();
    while (digits > 1 && name.size() - digits < 7 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        --digits;
    for (int32_t at = static_cast<int32_t>(scope_); at >= 0; at = scopes_[at].parent) {
        const Scope& scope = scopes_[at];
        if (const auto found = scope.symbols.find(name); found != scope.symbols.end()) {
            symbol = found->second;
            return true;
        }
        if (scope.ranges.empty())
            continue;
        // %r<17> declares %r0 ... %r16; the prefix may end in digits itself.
        for (size_t split = digits; split < name.size(); ++split) {
            if (name[split] == '0' && split + 1 < name.size())
                continue;
            const auto range = scope.ranges.find(name.substr(0, split));
            if (range == scope.ranges.end())
                continue;
            uint64_t number = 0;
            for (const char c : name.substr(split))
                number = 10 * number + static_cast<uint64_t>(c - '0');
            if (number >= range->second.count)
                continue;
            symbol = {.kind = Symbol::Kind::reg, .index = range->second.first + static_cast<uint32_t>(number)};
            return true;
        }
    }
    return false;
}

Operand Parser::register_operand(uint32_t index) const {
    Operand operand;
    operand.kind = Operand::Kind::reg;
    operand.index = index;
    return operand;
}

Operand Parser::symbol_operand(const Symbol& symbol) const {
    Operand operand;
    switch (symbol.kind) {
    case Symbol::Kind::reg:
        return register_operand(symbol.index);
    case Symbol::Kind::reg_vector:
        operand.kind = Operand::Kind::vector;
        for (uint32_t i = 0; i < symbol.count; ++i)
            operand.elements.push_back(register_operand(symbol.index + i));
        return operand;
    case Symbol::Kind::variable:
        operand.kind = Operand::Kind::variable;
        operand.variable = symbol.variable;
        return operand;
    case Symbol::Kind::param:
    case Symbol::Kind::return_param:
    case Symbol::Kind::call_param:
        break;
    }
    operand.kind = Operand::Kind::param;
    operand.index = symbol.index;
    operand.is_return = symbol.kind == Symbol::Kind::return_param;
    operand.is_call_param = symbol.kind == Symbol::Kind::call_param;
    return operand;
}

/// Registers come first: a program's own registers may be called like special ones.
bool Parser::resolve(std::string_view name, Operand& operand) const {
    Symbol symbol;
    if (find_symbol(name, symbol)) {
        operand = symbol_operand(symbol);
        return true;
    }
    if (const size_t dot = name.rfind('.'); dot != std::string_view::npos && dot + 2 == name.size()) {
        const size_t component = std::string_view("xyzwrgba").find(name.back());
        if (component != std::string_view::npos && find_symbol(name.substr(0, dot), symbol) &&
            symbol.kind == Symbol::Kind::reg_vector && component % 4 < symbol.count) {
            operand = register_operand(symbol.index + static_cast<uint32_t>(component % 4));
            return true;
        }
    }
    if (const Variable* variable = find_variable(name)) {
        operand.kind = Operand::Kind::variable;
        operand.variable = variable;
        return true;
    }
    if (find_function(name)) {
        operand.kind = Operand::Kind::function;
        operand.text = name;
        return true;
    }
    if (is_special_register(name)) {
        operand.kind = Operand::Kind::special;
        operand.text = name;
        return true;
    }
    return false;
}

} // namespace sim::ptx
