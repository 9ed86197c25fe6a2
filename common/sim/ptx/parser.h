// The PTX parser. Private to this folder: include module.h and call parse().
//
// The declarations of a module are parsed first, and the body of a function when it is asked for. Both know only the
// names that were declared before them in the text.
#pragma once

#include "sim/ptx/lexer.h"
#include "sim/ptx/module.h"

#include <array>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <unordered_map>

namespace sim::ptx {

/// A module's text and what it declares, for bodies that are parsed later.
struct ModuleNames {
    template <class T>
    struct Known {
        T* what = nullptr;
        size_t since = 0; ///< where in the text it was declared first
    };
    std::string text;
    Module* module = nullptr;
    std::unordered_map<std::string_view, Known<Function>> functions;
    std::unordered_map<std::string_view, Known<Variable>> variables;
    uint64_t shared_bytes = 0;             ///< of the variables that all kernels may use
    std::vector<std::string_view> strings; ///< the blocks of .section .debug_str

    /// The string at this label, "" if there is none.
    std::string string_at(std::string_view label);

  private:
    std::optional<std::unordered_map<std::string_view, std::string_view>> labels_; ///< and the lines behind them
};

/// The meaning of a name inside a function.
struct Symbol {
    enum class Kind : uint8_t { reg, reg_vector, param, return_param, call_param, variable };
    Kind kind = Kind::reg;
    uint32_t index = 0; ///< register (reg_vector: the first one), or parameter
    uint32_t count = 1; ///< reg_vector: how many
    const Variable* variable = nullptr;
};

/// A `{ }` block. Inline assembly declares the same names again and again, each time in a block of its own.
struct Scope {
    int32_t parent = -1;
    uint32_t depth = 0;
    uint64_t call_param_top = 0; ///< where the next call-site parameter of this scope goes
    std::unordered_map<std::string_view, Symbol> symbols;
    struct Range {
        uint32_t first, count;
    };
    std::unordered_map<std::string_view, Range> ranges; ///< `.reg .b32 %r<17>`: prefix "%r"
    std::unordered_map<std::string_view, uint32_t> labels;
    /// .branchtargets, .calltargets and .callprototype: their key in the function's maps, which know no blocks.
    std::unordered_map<std::string_view, std::string> lists;
};

/// A name that may be defined further down: the label of an instruction or of a list of targets.
struct PendingName {
    uint32_t instruction = 0;
    uint32_t operand = 0;
    uint32_t scope = 0;
    uint32_t line = 0;
    std::string_view name;
    std::vector<uint32_t>* targets = nullptr; ///< of a .branchtargets: append the label there instead
};

class Parser {
  public:
    explicit Parser(ModuleNames& names);
    void parse_declarations();
    enum class Extent : uint8_t { whole, beginning };
    std::unique_ptr<Code> parse_code(const Function& function, Extent extent);

  private:
    // Tokens.
    void advance();
    bool accept(char c);
    void expect(char c, std::string_view where);
    bool accept_directive(std::string_view name);
    std::string_view expect_word(std::string_view what);
    uint64_t expect_integer(std::string_view what);
    uint64_t expect_unsigned(std::string_view what, uint64_t limit);
    [[noreturn]] void fail(std::string_view message) const { fail_at(token_.line, message); }
    [[noreturn]] static void fail_at(uint32_t line, std::string_view message);
    [[noreturn]] void fail_unexpected(std::string_view expected) const;
    std::string_view found() const;

    // The names that are declared before this place; nullptr: there is none.
    Function* find_function(std::string_view name) const { return find(names_.functions, name); }
    Variable* find_variable(std::string_view name) const { return find(names_.variables, name); }
    template <class T>
    T* find(const std::unordered_map<std::string_view, ModuleNames::Known<T>>& all, std::string_view name) const {
        const auto known = all.find(name);
        return known == all.end() || known->second.since > until_ ? nullptr : known->second.what;
    }
    size_t offset(const Token& token) const { return size_t(token.text.data() - names_.text.data()); }
    void go_to(Mark mark);

    // Module level (parser.cpp).
    void parse_module_statement();
    void parse_target();
    void parse_file();
    void note_loc();
    void parse_loc();
    void parse_section();
    void parse_alias();
    void parse_pragma();
    void skip_parentheses();
    int32_t location_name(std::string_view label);
    uint32_t add_location(const Location& location);
    uint32_t plain_location(const Location& location);
    uint32_t enclosing_location(const Location& wanted);
    void keep_line(Location& location) const;
    void restore_inlining(Location& location);
    bool same_place(int32_t a, int32_t b) const;
    void check_addresses() const;

    // Declarations (parser_declarations.cpp).
    struct Linkage {
        bool is_extern = false, managed = false;
    };
    bool parse_linkage(Linkage& linkage);
    bool at_state_space() const;
    void parse_variables(Linkage linkage);
    void parse_dimensions(std::vector<uint64_t>& dimensions);
    Type expect_type(uint32_t& vector);
    uint32_t expect_alignment();
    void take_room(const Variable& variable);
    void place_variable(std::string_view name, std::unique_ptr<Variable> variable);
    void parse_registers();
    uint32_t add_register(std::string name, Type type);
    void declare(std::string_view name, const Symbol& symbol);
    void parse_call_param();
    Parameter parse_parameter(bool needs_name, std::string_view& name);
    std::vector<Parameter> parse_parameters(bool needs_name);
    void lay_out(std::vector<Parameter>& parameters) const;

    // Initial values (parser_initialisers.cpp).
    struct Shape {
        std::vector<uint64_t> dimensions;
        uint32_t element_bytes = 1;
        bool unsized = false;
    };
    void parse_initialiser(Variable& variable, Shape& shape);
    void parse_initial_list(Variable& variable, Shape& shape, size_t level, uint64_t offset);
    void parse_initial_value(Variable& variable, const Shape& shape, uint64_t offset);
    void store_initial(Variable& variable, uint64_t offset, uint64_t bits, uint32_t bytes);

    // Functions (parser_functions.cpp).
    void parse_function(bool is_entry, Linkage linkage);
    void parse_function_directives(Function& function);
    void parse_extent(uint32_t (&extent)[3]);
    void declare_parameters(const std::vector<Parameter>& parameters, Symbol::Kind kind);
    void skip_body(Function& function);
    void parse_body_statement();
    bool parse_body_directive();
    void open_scope();
    void define_label();
    std::string list_key(std::string_view label);
    void parse_branch_targets(std::string_view label);
    void parse_call_targets(std::string_view label);
    void parse_prototype(std::string_view label);
    void finish_body(uint32_t closing_line);
    void resolve_pending(const PendingName& pending);
    bool ends_without_falling_off() const;

    // Instructions (parser_instructions.cpp).
    void parse_instruction();
    void parse_call(Instruction& instruction);
    std::vector<Operand> parse_call_list();
    Operand parse_operand(int depth = 0);
    Operand parse_vector(int depth);
    Operand parse_address(int depth);
    Operand parse_name();
    Operand parse_immediate();
    void parse_offset(Operand& operand);
    bool resolve(std::string_view name, Operand& operand) const;
    void defer(Instruction& instruction, uint32_t line, std::string_view name);
    bool find_symbol(std::string_view name, Symbol& symbol) const;
    Operand symbol_operand(const Symbol& symbol) const;
    Operand register_operand(uint32_t index) const;
    uint32_t expect_predicate();

    // Constant expressions (parser_expressions.cpp).
    bool at_expression() const;
    uint64_t parse_expression(int lowest = 0);
    uint64_t parse_unary();

    Lexer lexer_;
    Token token_, ahead_;
    ModuleNames& names_;
    Module* module_;
    size_t until_ = std::numeric_limits<size_t>::max();          ///< names that are declared further down are not known
    std::vector<std::pair<uint32_t, std::string>> address_uses_; ///< names in initial values, and the line
    std::vector<Mark> locs_;                                     ///< at module level, since the function before
    std::vector<Function*> reach_out_;                           ///< functions whose bodies the module needs
    int expression_depth_ = 0;
    uint64_t shared_bytes_ = 0; ///< of the variables so far
    uint32_t used_bytes_ = 0;   ///< what a pragma says of the next instruction

    // The function being parsed.
    const Function* function_ = nullptr;
    Code* code_ = nullptr;
    std::unordered_map<std::string_view, int32_t> location_names_;
    std::map<std::array<uint32_t, 3>, uint32_t> plain_locations_; ///< those without inlined_at
    std::map<std::array<uint32_t, 3>, uint32_t> last_inlined_at_; ///< inlined code's last location
    std::map<uint32_t, uint32_t> last_inlined_;                   ///< the same, by file alone
    std::vector<uint32_t> location_depth_{0};                     ///< links outside each location
    std::vector<uint32_t> run_;                                   ///< locations given since the last instruction
    uint32_t location_ = 0;
    bool run_ended_ = true;
    std::vector<Scope> scopes_;
    uint32_t scope_ = 0;
    std::vector<PendingName> pending_;
    uint64_t local_bytes_ = 0; ///< of its variables
    bool defers_ = false;      ///< an operand that was just parsed is a name to be resolved at the function's end
};

} // namespace sim::ptx
