#include "sim/ptx/parser.h"

#include <algorithm>
#include <utility>

namespace sim::ptx {
namespace {

constexpr uint32_t max_scope_depth = 250;
constexpr uint64_t max_threads = 1u << 30;

} // namespace

/// .func [(returns)] name [(parameters)] [directives] ; or { body }. `.entry` has no returns and always a body.
void Parser::parse_function(bool is_entry, Linkage linkage) {
    while (parse_linkage(linkage)) {
    }
    auto fresh = std::make_unique<Function>();
    if (token_.is('('))
        fresh->returns = parse_parameters(true);
    const uint32_t line = token_.line;
    const std::string_view name = expect_word("a function's name");
    fresh->name = name;
    fresh->is_entry = is_entry;
    fresh->is_extern = true;
    fresh->text_line = line;
    if (is_entry && !fresh->returns.empty())
        fail_at(line, fmt::format("the entry '{}' cannot return values", name));
    const size_t place = size_t(name.data() - names_.text.data());
    if (token_.is('('))
        fresh->params = parse_parameters(false);
    parse_function_directives(*fresh);
    uint32_t registers = 0; // they are the first ones of the body
    for (auto* parameters : {&fresh->returns, &fresh->params})
        for (Parameter& parameter : *parameters)
            if (parameter.is_register && !parameter.name.empty())
                parameter.reg = registers++;

    if (find_variable(name))
        fail_at(line, fmt::format("'{}' is already declared as a variable", name));
    Function* known = find_function(name);
    if (known == nullptr) {
        known = fresh.get();
        names_.functions[name] = {known, place};
        module_->functions.push_back(std::move(fresh));
    } else if (token_.is(';')) {
        // A second declaration says nothing new.
    } else if (!known->is_extern) {
        fail_at(line, fmt::format("the function '{}' is already defined in line {}", name, known->text_line));
    } else {
        *known = std::move(*fresh);
    }
    if (accept(';'))
        return;
    if (!token_.is('{'))
        fail_unexpected(fmt::format("'{{' or ';' after the head of '{}'", name));
    known->is_extern = false;
    skip_body(*known);
}

void Parser::skip_body(Function& function) {
    function.names_ = &names_;
    function.begin_ = {offset(token_), token_.line};
    function.locs_ = std::exchange(locs_, {});
    lexer_.go_to(function.begin_);
    const Lexer::Body body = lexer_.skip_body();
    if (!body.is_closed)
        fail_at(token_.line, fmt::format("the body of '{}' is never closed: the text ends", function.name));
    function.most_instructions = body.semicolons + 1; // and a final `ret`
    if (body.declares_globals || (body.declares_shared && !function.is_entry))
        reach_out_.push_back(&function);
    advance();
    advance();
}

void Parser::parse_extent(uint32_t (&extent)[3]) {
    const uint32_t line = token_.line;
    uint64_t count = 1;
    for (uint32_t& n : extent)
        n = 1;
    for (int i = 0; i < 3; ++i) {
        extent[i] = static_cast<uint32_t>(expect_unsigned("the extent", max_threads));
        count *= extent[i];
        if (!count || count > max_threads)
            fail_at(line, fmt::format("the extents' product is {}, and must be from 1 to {}", count, max_threads));
        if (!accept(','))
            return;
    }
}

void Parser::parse_function_directives(Function& function) {
    while (token_.kind == Token::Kind::directive) {
        if (accept_directive(".maxntid")) {
            parse_extent(function.max_threads);
        } else if (accept_directive(".reqntid")) {
            parse_extent(function.required_threads);
        } else if (accept_directive(".reqnctapercluster")) {
            parse_extent(function.required_cluster);
        } else if (accept_directive(".explicitcluster")) {
            function.explicit_cluster = true;
        } else if (accept_directive(".minnctapersm")) {
            function.min_blocks = static_cast<uint32_t>(expect_unsigned("the number of blocks", max_threads));
        } else if (accept_directive(".maxnctapersm") || accept_directive(".maxnreg") ||
                   accept_directive(".maxclusterrank") || accept_directive(".abi_preserve") ||
                   accept_directive(".abi_preserve_control")) {
            expect_integer("a number");
        } else if (accept_directive(".noreturn") || accept_directive(".blocksareclusters")) {
        } else if (accept_directive(".pragma")) {
            parse_pragma();
        } else if (accept_directive(".attribute")) {
            skip_parentheses();
        } else {
            fail(fmt::format("this parser does not know '{}' in a function's head", found()));
        }
    }
}

void Parser::declare_parameters(const std::vector<Parameter>& parameters, Symbol::Kind kind) {
    for (uint32_t i = 0; i < parameters.size(); ++i) {
        const Parameter& parameter = parameters[i];
        if (parameter.name.empty())
            continue;
        if (parameter.is_register) {
            add_register(parameter.name, parameter.type);
            declare(parameter.name, {.kind = Symbol::Kind::reg, .index = parameter.reg});
        } else {
            declare(parameter.name, {.kind = kind, .index = i});
        }
    }
}

std::unique_ptr<Code> Parser::parse_code(const Function& function, Extent extent) {
    auto code = std::make_unique<Code>();
    function_ = &function;
    code_ = code.get();
    until_ = function.begin_.at;
    for (const Mark& loc : function.locs_) {
        go_to(loc);
        parse_loc();
    }
    code_->location = location_;
    go_to(function.begin_);
    scopes_.emplace_back();
    declare_parameters(function_->returns, Symbol::Kind::return_param);
    declare_parameters(function_->params, Symbol::Kind::param);
    const uint32_t opened = token_.line;
    expect('{', "before a function's body");
    while (!(scope_ == 0 && token_.is('}'))) {
        if (token_.kind == Token::Kind::end)
            fail_at(opened, fmt::format("the body of '{}' is never closed: the text ends", function_->name));
        parse_body_statement();
        if (extent == Extent::beginning && !code->body.empty())
            return code;
    }
    finish_body(token_.line);
    check_addresses();
    if (!function.is_entry)
        names_.shared_bytes = shared_bytes_; // those of a kernel take the place of another kernel's
    return code;
}

void Parser::parse_body_statement() {
    if (token_.kind == Token::Kind::directive) {
        if (!parse_body_directive())
            fail(fmt::format("this parser does not know '{}' in a function's body", found()));
    } else if (token_.is('{')) {
        open_scope();
        advance();
    } else if (token_.is('}')) {
        scope_ = static_cast<uint32_t>(scopes_[scope_].parent);
        advance();
    } else if (token_.kind == Token::Kind::word && ahead_.is(':')) {
        define_label();
    } else if (token_.kind == Token::Kind::word || token_.is('@')) {
        parse_instruction();
    } else if (!accept(';')) {
        fail_unexpected("an instruction, a label or a declaration");
    }
}

bool Parser::parse_body_directive() {
    if (accept_directive(".loc")) {
        parse_loc();
        if (code_->location == 0)
            code_->location = location_;
    } else if (accept_directive(".reg")) {
        parse_registers();
    } else if (token_.is(Token::Kind::directive, ".param")) {
        parse_call_param();
    } else if (accept_directive(".pragma")) {
        parse_pragma();
    } else if (accept_directive(".file")) {
        parse_file();
    } else if (token_.is(Token::Kind::directive, ".section")) {
        parse_section();
    } else {
        Linkage linkage;
        while (parse_linkage(linkage)) {
        }
        if (!at_state_space())
            return false;
        parse_variables(linkage);
    }
    return true;
}

void Parser::open_scope() {
    const uint32_t depth = scopes_[scope_].depth + 1;
    if (depth > max_scope_depth)
        fail(fmt::format("blocks are nested more than {} deep", max_scope_depth));
    Scope inner;
    inner.parent = static_cast<int32_t>(scope_);
    inner.depth = depth;
    inner.call_param_top = scopes_[scope_].call_param_top;
    scope_ = static_cast<uint32_t>(scopes_.size());
    scopes_.push_back(std::move(inner));
}

void Parser::define_label() {
    const std::string_view name = token_.text;
    const uint32_t line = token_.line;
    advance();
    advance();
    if (accept_directive(".branchtargets"))
        return parse_branch_targets(name);
    if (accept_directive(".calltargets"))
        return parse_call_targets(name);
    if (accept_directive(".callprototype"))
        return parse_prototype(name);
    const auto here = static_cast<uint32_t>(code_->body.size());
    if (!scopes_[scope_].labels.emplace(name, here).second)
        fail_at(line, fmt::format("the label '{}' is already defined in this block", name));
}

/// The key of a list in the function's map: its label, made unique where several blocks use the same one.
std::string Parser::list_key(std::string_view label) {
    std::string key(label);
    const auto taken = [&] {
        return code_->branch_targets.contains(key) || code_->call_targets.contains(key) ||
               code_->prototypes.contains(key);
    };
    if (taken())
        key += fmt::format("@{}", scope_);
    if (!scopes_[scope_].lists.emplace(label, key).second)
        fail(fmt::format("the label '{}' is already defined in this block", label));
    return key;
}

void Parser::parse_branch_targets(std::string_view label) {
    std::vector<uint32_t>& targets = code_->branch_targets[list_key(label)];
    do {
        const uint32_t line = token_.line;
        const std::string_view name = expect_word("a label");
        PendingName target;
        target.instruction = static_cast<uint32_t>(targets.size());
        target.scope = scope_;
        target.line = line;
        target.name = name;
        target.targets = &targets;
        pending_.push_back(target);
        targets.push_back(0);
    } while (accept(','));
    expect(';', "after .branchtargets");
}

void Parser::parse_call_targets(std::string_view label) {
    std::vector<std::string>& targets = code_->call_targets[list_key(label)];
    do {
        const uint32_t line = token_.line;
        const std::string_view name = expect_word("a function's name");
        if (!find_function(name))
            fail_at(line, fmt::format("unknown function '{}' in .calltargets", name));
        targets.emplace_back(name);
    } while (accept(','));
    expect(';', "after .calltargets");
}

/// label: .callprototype [(returns)] _ [(parameters)] [.noreturn] ;
void Parser::parse_prototype(std::string_view label) {
    Prototype prototype;
    if (token_.is('('))
        prototype.returns = parse_parameters(false);
    expect_word("'_' in the place of a function's name");
    if (token_.is('('))
        prototype.params = parse_parameters(false);
    while (token_.kind == Token::Kind::directive) {
        if (accept_directive(".noreturn"))
            prototype.noreturn = true;
        else if (accept_directive(".abi_preserve") || accept_directive(".abi_preserve_control"))
            expect_integer("a number");
        else
            fail(fmt::format("this parser does not know '{}' in a .callprototype", found()));
    }
    expect(';', "after .callprototype");
    code_->prototypes[list_key(label)] = std::move(prototype);
}

void Parser::resolve_pending(const PendingName& pending) {
    Operand* operand =
        pending.targets != nullptr ? nullptr : &code_->body[pending.instruction].operands[pending.operand];
    for (int32_t scope = static_cast<int32_t>(pending.scope); scope >= 0; scope = scopes_[scope].parent) {
        const Scope& at = scopes_[scope];
        if (const auto label = at.labels.find(pending.name); label != at.labels.end()) {
            if (operand == nullptr) {
                (*pending.targets)[pending.instruction] = label->second;
            } else {
                operand->kind = Operand::Kind::label;
                operand->index = label->second;
            }
            return;
        }
        if (const auto list = at.lists.find(pending.name); list != at.lists.end() && operand != nullptr) {
            operand->kind = Operand::Kind::text;
            operand->text = list->second;
            return;
        }
    }
    fail_at(pending.line,
            fmt::format("unknown name '{}': no label, register, variable, parameter or function has it here",
                        pending.name));
}

bool Parser::ends_without_falling_off() const {
    if (code_->body.empty())
        return false;
    const Instruction& last = code_->body.back();
    const std::string_view opcode = std::string_view(last.opcode).substr(0, last.opcode.find('.'));
    if (last.guard >= 0 || (opcode != "ret" && opcode != "exit" && opcode != "bra" && opcode != "brx"))
        return false;
    const auto size = static_cast<uint32_t>(code_->body.size());
    return std::none_of(scopes_.begin(), scopes_.end(), [&](const Scope& scope) {
        return std::any_of(scope.labels.begin(), scope.labels.end(), [&](auto& label) { return label.second == size; });
    });
}

void Parser::finish_body(uint32_t closing_line) {
    for (const PendingName& pending : pending_)
        resolve_pending(pending);
    if (!ends_without_falling_off()) {
        Instruction ret;
        ret.opcode = "ret";
        ret.location = location_;
        ret.text_line = closing_line;
        code_->body.push_back(std::move(ret));
    }
}

} // namespace sim::ptx
