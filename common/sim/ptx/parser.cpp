#include "sim/ptx/parser.h"

#include <algorithm>
#include <charconv>

namespace sim::ptx {

Parser::Parser(ModuleNames& names)
    : lexer_(names.text), names_(names), module_(names.module), shared_bytes_(names.shared_bytes) {}

void Parser::fail_at(uint32_t line, std::string_view message) {
    throw ParseError(line, fmt::format("PTX line {}: {}", line, message));
}

std::string_view Parser::found() const {
    return token_.kind == Token::Kind::end ? std::string_view("the end of the text") : token_.text.substr(0, 80);
}

void Parser::fail_unexpected(std::string_view expected) const {
    fail(fmt::format("expected {} but found '{}'", expected, found()));
}

void Parser::advance() {
    token_ = ahead_;
    ahead_ = lexer_.next();
}

void Parser::go_to(Mark mark) {
    lexer_.go_to(mark);
    advance();
    advance();
}

bool Parser::accept(char c) {
    if (!token_.is(c))
        return false;
    advance();
    return true;
}

void Parser::expect(char c, std::string_view where) {
    if (!accept(c))
        fail(fmt::format("expected '{}' {} but found '{}'", c, where, found()));
}

bool Parser::accept_directive(std::string_view name) {
    if (!token_.is(Token::Kind::directive, name))
        return false;
    advance();
    return true;
}

std::string_view Parser::expect_word(std::string_view what) {
    if (token_.kind != Token::Kind::word)
        fail_unexpected(what);
    const std::string_view text = token_.text;
    advance();
    return text;
}

uint64_t Parser::expect_integer(std::string_view what) {
    if (token_.kind != Token::Kind::integer)
        fail_unexpected(what);
    const uint64_t value = token_.value;
    advance();
    return value;
}

uint64_t Parser::expect_unsigned(std::string_view what, uint64_t limit) {
    const uint32_t line = token_.line;
    const uint64_t value = expect_integer(what);
    if (value > limit)
        fail_at(line, fmt::format("{} is {}, which is more than {}", what, value, limit));
    return value;
}

void Parser::skip_parentheses() {
    expect('(', "here");
    for (uint64_t depth = 1; depth > 0; advance()) {
        if (token_.kind == Token::Kind::end)
            fail("a '(' is never closed");
        depth += token_.is('(');
        depth -= token_.is(')');
    }
}

void Parser::parse_declarations() {
    go_to({});
    if (token_.kind == Token::Kind::end)
        fail("there is no PTX here: the text is empty");
    if (!token_.is(Token::Kind::directive, ".version"))
        fail_unexpected("'.version' (the first directive of every PTX module)");
    while (token_.kind != Token::Kind::end)
        parse_module_statement();
    check_addresses();
    names_.shared_bytes = shared_bytes_;
    for (const Function* function : reach_out_)
        function->code();
}

void Parser::parse_module_statement() {
    if (accept(';'))
        return;
    if (token_.kind == Token::Kind::punct && token_.is('@') && ahead_.is('@')) {
        const uint32_t line = token_.line; // @@DWARF: debug data of old compilers, one line each
        while (token_.kind != Token::Kind::end && token_.line == line)
            advance();
        return;
    }
    if (token_.kind != Token::Kind::directive)
        fail_unexpected("a directive such as .global, .func or .entry");
    if (accept_directive(".version")) {
        const std::string_view text = token_.text;
        unsigned major = 0, minor = 0;
        const char* end = text.data() + text.size();
        const auto dot = std::from_chars(text.data(), end, major);
        const bool good = token_.kind == Token::Kind::real && dot.ptr != end && *dot.ptr == '.' &&
                          std::from_chars(dot.ptr + 1, end, minor).ptr == end && major < 100 && minor < 10;
        if (!good)
            fail_unexpected("a version such as 9.0 after .version");
        module_->version = 10 * major + minor;
        advance();
    } else if (accept_directive(".target")) {
        parse_target();
    } else if (accept_directive(".address_size")) {
        if (expect_integer("32 or 64 after .address_size") != 64)
            fail("only .address_size 64 can run here; compile for a 64-bit target (nvcc -m64)");
    } else if (accept_directive(".file")) {
        parse_file();
    } else if (accept_directive(".loc")) {
        note_loc();
    } else if (token_.is(Token::Kind::directive, ".section")) {
        parse_section();
    } else if (accept_directive(".alias")) {
        parse_alias();
    } else if (accept_directive(".pragma")) {
        parse_pragma();
    } else {
        Linkage linkage;
        while (parse_linkage(linkage)) {
        }
        if (accept_directive(".entry"))
            parse_function(true, linkage);
        else if (accept_directive(".func"))
            parse_function(false, linkage);
        else if (at_state_space())
            parse_variables(linkage);
        else
            fail(fmt::format("this parser does not know '{}' at module level", found()));
    }
}

void Parser::parse_target() {
    do {
        const std::string_view word = expect_word("a target such as sm_90a");
        if (!word.starts_with("sm_"))
            continue; // texmode_independent, debug, ...
        module_->target = word;
        std::from_chars(word.data() + 3, word.data() + word.size(), module_->sm);
        if (module_->sm == 0)
            fail(fmt::format("'{}' is not a target architecture", word));
    } while (accept(','));
}

namespace {

// nvcc writes the bytes of a path that are not ASCII as \303, and " and \ with a \ before them.
std::string unescaped(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            out += text[i];
            continue;
        }
        unsigned value = 0;
        size_t digits = 0;
        for (; digits < 3 && i + 1 + digits < text.size() && text[i + 1 + digits] >= '0' && text[i + 1 + digits] <= '7';
             ++digits)
            value = value * 8 + static_cast<unsigned>(text[i + 1 + digits] - '0');
        out += digits == 3 ? static_cast<char>(value) : text[i + 1];
        i += digits == 3 ? 3 : 1;
    }
    return out;
}

} // namespace

void Parser::parse_file() {
    const uint64_t number = expect_unsigned("the file number", 100'000);
    if (token_.kind != Token::Kind::string)
        fail_unexpected("a file name in quotes");
    if (module_->files.size() <= number)
        module_->files.resize(number + 1);
    module_->files[number] = unescaped(token_.text);
    advance();
    while (accept(','))
        expect_integer("a time stamp or size");
}

void Parser::parse_section() {
    // The block is skipped as characters: debug data is most of the text at -G. ahead_ is the section's name, so the
    // lexer stands just before the '{'.
    if (ahead_.kind != Token::Kind::directive && ahead_.kind != Token::Kind::word)
        fail("expected a section name after .section");
    const bool strings = ahead_.text == ".debug_str";
    const std::string_view block = lexer_.skip_block();
    if (strings)
        names_.strings.push_back(block);
    advance();
    advance();
}

void Parser::parse_pragma() {
    constexpr std::string_view used_bytes = "used_bytes_mask ";
    for (; token_.kind == Token::Kind::string || token_.is(','); advance())
        if (const std::string_view text = token_.text; text.starts_with(used_bytes)) {
            const std::string_view mask = text.substr(used_bytes.size());
            std::from_chars(mask.data(), mask.data() + mask.size(), used_bytes_);
        }
    expect(';', "after .pragma");
}

void Parser::parse_alias() {
    const uint32_t line = token_.line;
    const std::string name(expect_word("a function name after .alias"));
    expect(',', "between the two names of .alias");
    const std::string target(expect_word("a function name"));
    expect(';', "after .alias");
    for (const std::string& function : {name, target})
        if (!find_function(function))
            fail_at(line, fmt::format("unknown function '{}' in .alias", function));
    if (name == target || module_->aliases.contains(target))
        fail_at(line, fmt::format("'{}' cannot be an alias of '{}', which is an alias itself", name, target));
    module_->aliases[name] = target;
}

/// Names in initial values may be declared after their use.
void Parser::check_addresses() const {
    for (const auto& [line, name] : address_uses_)
        if (!names_.functions.contains(name) && !names_.variables.contains(name))
            fail_at(line, fmt::format("unknown name '{}' in an initial value", name));
}

const Function* Module::function(std::string_view name) const {
    const auto alias = aliases.find(std::string(name));
    const std::string_view wanted = alias == aliases.end() ? name : std::string_view(alias->second);
    const auto found = std::find_if(functions.begin(), functions.end(), [&](auto& f) { return f->name == wanted; });
    return found == functions.end() ? nullptr : found->get();
}

const Variable* Module::variable(std::string_view name) const {
    const auto found = std::find_if(variables.begin(), variables.end(), [&](auto& v) { return v->name == name; });
    return found == variables.end() ? nullptr : found->get();
}

std::string_view Module::text() const {
    return names->text;
}

const Code& Function::parse_code() const {
    static const Code none;
    if (!names_)
        return none;
    code_ = Parser(*names_).parse_code(*this, Parser::Extent::whole);
    return *code_;
}

Code Function::beginning() const {
    return names_ ? std::move(*Parser(*names_).parse_code(*this, Parser::Extent::beginning)) : Code{};
}

std::unique_ptr<Module> parse_declarations(std::string_view text) {
    auto module = std::make_unique<Module>();
    module->files.emplace_back();
    module->names = std::make_shared<ModuleNames>();
    module->names->text = text;
    module->names->module = module.get();
    Parser(*module->names).parse_declarations();
    return module;
}

std::unique_ptr<Module> parse(std::string_view text) {
    auto module = parse_declarations(text);
    for (const auto& function : module->functions)
        function->code();
    return module;
}

std::shared_ptr<const Module> Parsed::module(std::string_view text) {
    constexpr size_t most = 2; // a lab has at most two targets
    const auto found = std::ranges::find(known_, text, &Module::text);
    if (found != known_.end())
        return *found;
    std::shared_ptr<const Module> module = parse_declarations(text);
    if (known_.size() == most)
        known_.erase(known_.begin());
    known_.push_back(std::move(module));
    return known_.back();
}

} // namespace sim::ptx
