#include "sim/ptx/parser.h"

#include <algorithm>

namespace sim::ptx {
namespace {

constexpr uint64_t max_variable_bytes = uint64_t{1} << 36;
constexpr uint64_t max_registers = 1u << 20;
constexpr uint64_t max_alignment = 1u << 20;
constexpr uint64_t max_shared_bytes = 1u << 30;    // of all functions together
constexpr uint64_t max_parameter_bytes = 1u << 20; // of a function: far more than the hardware passes

uint64_t align_up(uint64_t value, uint64_t align) {
    return (value + align - 1) / align * align;
}

std::optional<Space> space_named(std::string_view directive) {
    if (directive == ".global")
        return Space::global;
    if (directive == ".const")
        return Space::constant;
    if (directive == ".shared" || directive == ".shared::cta")
        return Space::shared;
    if (directive == ".local")
        return Space::local;
    return std::nullopt;
}

/// Bytes of one value in memory.
uint32_t memory_bytes(Type type) {
    return std::max(1u, type.bits / 8u);
}

} // namespace

bool Parser::parse_linkage(Linkage& linkage) {
    if (accept_directive(".visible") || accept_directive(".weak") || accept_directive(".common"))
        return true;
    if (accept_directive(".extern")) {
        linkage.is_extern = true;
        return true;
    }
    if (accept_directive(".managed")) {
        linkage.managed = true;
        return true;
    }
    if (accept_directive(".attribute")) {
        linkage.managed = linkage.managed || (token_.is('(') && ahead_.is(Token::Kind::directive, ".managed"));
        skip_parentheses();
        return true;
    }
    return false;
}

bool Parser::at_state_space() const {
    return token_.kind == Token::Kind::directive && space_named(token_.text);
}

/// A type, with `vector` set to 2, 4 or 8 when .v2, .v4 or .v8 comes before it.
Type Parser::expect_type(uint32_t& vector) {
    vector = 1;
    for (const uint32_t n : {2u, 4u, 8u})
        if (accept_directive(fmt::format(".v{}", n)))
            vector = n;
    const auto type = token_.kind == Token::Kind::directive ? type_named(token_.text) : std::nullopt;
    if (!type)
        fail_unexpected("a type such as .u32");
    advance();
    return *type;
}

uint32_t Parser::expect_alignment() {
    const uint32_t line = token_.line;
    const uint64_t align = expect_unsigned("the alignment", max_alignment);
    if (align == 0 || (align & (align - 1)) != 0)
        fail_at(line, fmt::format("the alignment {} is not a power of two", align));
    return static_cast<uint32_t>(align);
}

/// [4][8]: an empty pair is stored as 0.
void Parser::parse_dimensions(std::vector<uint64_t>& dimensions) {
    while (accept('[')) {
        if (token_.is(']')) {
            if (!dimensions.empty())
                fail("only the first dimension of an array may be left open");
            dimensions.push_back(0);
        } else {
            const uint32_t line = token_.line;
            const uint64_t count = parse_expression();
            if (count == 0 || count > max_variable_bytes)
                fail_at(line, fmt::format("an array dimension of {} is out of range", count));
            dimensions.push_back(count);
        }
        if (dimensions.size() > 16)
            fail("an array has more than 16 dimensions");
        expect(']', "after an array dimension");
    }
}

/// SPACE [.align N] [.attribute(..)] [.v4] TYPE name[dims] [= init] {, name...} ;
void Parser::parse_variables(Linkage linkage) {
    const Space space = *space_named(token_.text);
    advance();
    uint32_t align = 0;
    for (;;) {
        if (accept_directive(".align"))
            align = expect_alignment();
        else if (!parse_linkage(linkage))
            break;
    }
    uint32_t vector = 1;
    const Type type = expect_type(vector);
    do {
        auto variable = std::make_unique<Variable>();
        const uint32_t line = token_.line;
        const std::string_view name = expect_word("a variable's name");
        variable->name = name;
        variable->space = space;
        variable->type = type;
        variable->is_extern = linkage.is_extern;
        variable->managed = linkage.managed;
        variable->align = std::max(align, memory_bytes(type) * vector);
        if (align != 0)
            variable->align = align;

        Shape shape;
        shape.element_bytes = memory_bytes(type);
        if (token_.is('<')) { // name<N>: N variables name0 ...; nvcc never writes it for memory
            fail(fmt::format("'{}<N>' is only known for registers", variable->name));
        }
        parse_dimensions(shape.dimensions);
        shape.unsized = !shape.dimensions.empty() && shape.dimensions[0] == 0;
        if (vector > 1)
            shape.dimensions.push_back(vector);
        uint64_t count = 1;
        for (const uint64_t dimension : shape.dimensions) {
            if (dimension && count > max_variable_bytes / dimension)
                fail_at(line, fmt::format("'{}' is larger than this device's memory", variable->name));
            count *= std::max<uint64_t>(dimension, 1);
        }
        variable->bytes = shape.unsized ? 0 : count * shape.element_bytes;
        if (token_.is('=')) {
            advance();
            if (space == Space::shared || space == Space::local)
                fail_at(line, fmt::format("'{}' is in .{} memory and cannot have an initial value", variable->name,
                                          space == Space::shared ? "shared" : "local"));
            parse_initialiser(*variable, shape);
        } else if (shape.unsized) {
            if (!linkage.is_extern)
                fail_at(line, fmt::format("'{}' has no size: only .extern arrays may leave it open", variable->name));
            variable->dynamic = space == Space::shared;
        }
        place_variable(name, std::move(variable));
    } while (accept(','));
    expect(';', "after a variable");
}

/// Shared and local memory are small: larger variables are refused here, before their sizes are added up.
void Parser::take_room(const Variable& variable) {
    const auto take = [&](uint64_t& used, uint64_t most, std::string_view space) {
        used = align_up(used, variable.align) + variable.bytes;
        if (used > most)
            fail(fmt::format("'{}' does not fit: there are {} bytes of {} memory", variable.name, most, space));
    };
    if (variable.space == Space::shared)
        take(shared_bytes_, max_shared_bytes, "shared");
    else if (variable.space == Space::local)
        take(local_bytes_, most_local_bytes, "local");
}

void Parser::place_variable(std::string_view name, std::unique_ptr<Variable> variable) {
    const bool in_function = function_ != nullptr && !scopes_.empty();
    take_room(*variable);
    auto& owner = in_function && variable->space != Space::global && variable->space != Space::constant
                      ? code_->locals
                      : module_->variables;
    Variable* placed = variable.get();
    if (in_function) {
        owner.push_back(std::move(variable));
        declare(name, {.kind = Symbol::Kind::variable, .index = 0, .count = 1, .variable = placed});
        return;
    }
    Variable* const known = find_variable(name);
    if (!known) {
        if (find_function(name))
            fail(fmt::format("'{}' is already declared as a function", name));
        owner.push_back(std::move(variable));
        names_.variables[name] = {placed, size_t(name.data() - names_.text.data())};
    } else if (known->is_extern) {
        *known = std::move(*placed); // a declaration, then the definition
    } else if (!placed->is_extern) {
        fail(fmt::format("'{}' is already declared", name));
    }
}

uint32_t Parser::add_register(std::string name, Type type) {
    if (code_->registers.size() >= max_registers)
        fail(fmt::format("function '{}' declares more than {} registers", function_->name, max_registers));
    code_->registers.push_back({std::move(name), type});
    return static_cast<uint32_t>(code_->registers.size() - 1);
}

void Parser::declare(std::string_view name, const Symbol& symbol) {
    if (name == "_")
        return;
    if (!scopes_[scope_].symbols.emplace(name, symbol).second)
        fail(fmt::format("'{}' is already declared in this block", name));
}

/// .reg TYPE %r<17>, %p, ... ;
void Parser::parse_registers() {
    accept_directive(".align");
    if (token_.kind == Token::Kind::integer)
        advance();
    uint32_t vector = 1;
    const Type type = expect_type(vector);
    do {
        const std::string_view name = expect_word("a register's name");
        if (accept('<')) {
            const uint64_t count = expect_unsigned("the number of registers", max_registers);
            expect('>', "after the number of registers");
            if (vector > 1)
                fail("ranges of vector registers are not known to this parser");
            const auto first = static_cast<uint32_t>(code_->registers.size());
            for (uint64_t i = 0; i < count; ++i)
                add_register(fmt::format("{}{}", name, i), type);
            if (!scopes_[scope_].ranges.emplace(name, Scope::Range{first, static_cast<uint32_t>(count)}).second)
                fail(fmt::format("'{}<{}>' is already declared in this block", name, count));
        } else if (vector > 1) {
            const auto first = static_cast<uint32_t>(code_->registers.size());
            for (uint32_t i = 0; i < vector; ++i)
                add_register(vector <= 4 ? fmt::format("{}.{}", name, "xyzw"[i]) : fmt::format("{}.{}", name, i), type);
            declare(name, {.kind = Symbol::Kind::reg_vector, .index = first, .count = vector});
        } else {
            const uint32_t index = add_register(std::string(name), type);
            declare(name, {.kind = Symbol::Kind::reg, .index = index});
        }
    } while (accept(','));
    expect(';', "after a .reg declaration");
}

/// .param [.align N] TYPE name[N] in a body: room for the arguments of a call.
void Parser::parse_call_param() {
    std::string_view name;
    Parameter parameter = parse_parameter(true, name);
    auto& top = scopes_[scope_].call_param_top;
    parameter.offset = align_up(top, parameter.align);
    top = parameter.offset + parameter.bytes;
    if (top > max_parameter_bytes)
        fail(fmt::format("the .param variables of '{}' take more than {} bytes", function_->name, max_parameter_bytes));
    code_->call_params_bytes = std::max(code_->call_params_bytes, top);
    const auto index = static_cast<uint32_t>(code_->call_params.size());
    code_->call_params.push_back(std::move(parameter));
    declare(name, {.kind = Symbol::Kind::call_param, .index = index});
    expect(';', "after a .param declaration");
}

/// .param or .reg [.align N] TYPE [.ptr [.space] [.align N]] [name][dims]; `name` is set to the view of it in the text.
Parameter Parser::parse_parameter(bool needs_name, std::string_view& name) {
    Parameter parameter;
    if (accept_directive(".reg"))
        parameter.is_register = true;
    else
        accept_directive(".param");
    uint32_t align = 0, vector = 1;
    if (accept_directive(".align"))
        align = expect_alignment();
    parameter.type = expect_type(vector);
    if (accept_directive(".ptr")) {
        // The pointer's target; it says nothing about the parameter itself.
        while (token_.kind == Token::Kind::directive) {
            if (accept_directive(".align"))
                expect_alignment();
            else
                advance();
        }
    }
    name = {};
    if (token_.kind == Token::Kind::word) {
        name = token_.text;
        parameter.name = name;
        advance();
    } else if (needs_name) {
        fail_unexpected("a parameter's name");
    }
    std::vector<uint64_t> dimensions;
    parse_dimensions(dimensions);
    uint64_t count = vector;
    for (const uint64_t dimension : dimensions) {
        if (dimension > max_parameter_bytes || count * dimension > max_parameter_bytes)
            fail(fmt::format("parameter '{}' is too large", name));
        count *= dimension;
    }
    parameter.bytes = count * memory_bytes(parameter.type);
    parameter.align = align != 0 ? align : memory_bytes(parameter.type) * vector;
    return parameter;
}

/// ( parameter, ... ) with the parentheses.
std::vector<Parameter> Parser::parse_parameters(bool needs_name) {
    std::vector<Parameter> parameters;
    expect('(', "before parameters");
    if (accept(')'))
        return parameters;
    do {
        if (!token_.is(Token::Kind::directive, ".param") && !token_.is(Token::Kind::directive, ".reg"))
            fail_unexpected("'.param' or '.reg'");
        std::string_view name;
        parameters.push_back(parse_parameter(needs_name, name));
        if (parameters.size() > 10'000)
            fail("more than 10000 parameters");
    } while (accept(','));
    expect(')', "after parameters");
    lay_out(parameters);
    return parameters;
}

void Parser::lay_out(std::vector<Parameter>& parameters) const {
    uint64_t top = 0;
    for (Parameter& parameter : parameters) {
        if (parameter.is_register)
            continue;
        parameter.offset = align_up(top, parameter.align);
        top = parameter.offset + parameter.bytes;
        if (top > max_parameter_bytes)
            fail(fmt::format("parameters of more than {} bytes", max_parameter_bytes));
    }
}

} // namespace sim::ptx
