// A PTX module as parsed: declarations, functions and instructions, with every name resolved.
// Source: PTX ISA, "Syntax" and "State Spaces, Types, and Variables".
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sim::ptx {

/// Local memory of a thread: its `.local` variables in all nested calls.
inline constexpr uint64_t most_local_bytes = 512 << 10;

enum class Space : uint8_t { generic, global, shared, local, constant, param, reg };

/// A fundamental type. `bits` is the size of one value; packed types (f16x2) count as 32 bits.
enum class Kind : uint8_t { bits, unsigned_int, signed_int, floating, brain_float, predicate, other };
struct Type {
    Kind kind = Kind::bits;
    uint8_t bits = 32;
    bool packed = false; ///< .f16x2, .bf16x2, .u16x2, .s16x2: two values of half the width
    bool operator==(const Type&) const = default;
};
/// The type named by a modifier such as ".u32" (with or without the dot); nothing if it names no type.
std::optional<Type> type_named(std::string_view modifier);

/// One entry of the line table; `inlined_at` is an index into Code::locations, or -1.
struct Location {
    uint32_t file = 0; ///< index into Module::files
    uint32_t line = 0; ///< 0: the compiler gave no line
    uint32_t column = 0;
    int32_t inlined_at = -1;
    int32_t name = -1;    ///< index into Code::inlined: the inlined function, or -1
    bool complete = true; ///< false: this is the innermost known link only; the compiler left out the outer ones
    bool operator==(const Location&) const = default;
};

/// Part of a variable's initial value that is an address and is filled in when the module is loaded.
struct AddressInit {
    uint64_t offset; ///< where in the variable, in bytes
    std::string symbol;
    int64_t addend;
    bool generic; ///< written generic(symbol): a generic address, not one in the symbol's space
};

struct Variable {
    std::string name;
    Space space = Space::global;
    Type type;
    uint64_t bytes = 0; ///< 0 for an unsized `.extern .shared` array
    uint32_t align = 1;
    bool is_extern = false;
    bool dynamic = false;      ///< `.extern .shared x[]`: the launch's dynamic shared memory
    bool managed = false;      ///< .attribute(.managed)
    std::vector<uint8_t> init; ///< empty: zero
    std::vector<AddressInit> addresses;
};

struct Register {
    std::string name;
    Type type;
};

/// `.param` of a function: entry parameters, or parameters and return values of a device function.
struct Parameter {
    std::string name;
    Type type;
    uint64_t bytes = 0;
    uint32_t align = 1;
    uint64_t offset = 0;      ///< in the parameter block, laid out in order with each one's alignment
    bool is_register = false; ///< device functions may take `.reg` parameters; `reg` is then its register
    uint32_t reg = 0;
};

struct Operand {
    enum class Kind : uint8_t {
        none,
        sink,      ///< _
        reg,       ///< index: register of the function
        immediate, ///< bits; is_float says that it was written as 0f or 0d (width says which)
        variable,  ///< the address of `variable` plus `offset`
        param,     ///< index into Function::params, ::returns (is_return) or ::call_params (is_call_param), plus offset
        address,   ///< [base + offset]; base is elements[0] (reg, variable, param or immediate);
                   ///< elements[1], if any, is the coordinate vector of a tensor access
        vector,    ///< {elements...}
        pair,      ///< d|p: elements[0], elements[1]
        special,   ///< special register, by name in `text` ("%tid.x")
        label,     ///< index: instruction in the function
        function,  ///< `text`: its name
        text,      ///< prototype or target-list label; `text`
    };
    Kind kind = Kind::none;
    bool negated = false; ///< !p
    bool is_float = false;
    bool is_return = false;
    bool is_call_param = false;
    uint8_t width = 0; ///< of a float immediate: 32 or 64
    uint32_t index = 0;
    uint64_t bits = 0;
    int64_t offset = 0;
    const Variable* variable = nullptr;
    std::string text;
    std::vector<Operand> elements;
};

struct Instruction {
    std::string opcode;                ///< as written: "ld.global.nc.v2.f32"
    int32_t guard = -1;                ///< register of the guard predicate
    bool guard_negated = false;        ///< @!p
    std::vector<Operand> operands;     ///< for `call`: see call_*
    uint32_t location = 0;             ///< index into Code::locations
    uint32_t used_bytes = 0;           ///< a load's `used_bytes_mask` pragma: one bit per byte; 0: there is none
    uint32_t text_line = 0;            ///< line in the PTX text, for messages about the PTX itself
    std::vector<Operand> call_returns; ///< call: (ret...) ; the callee is operands[0]
    std::vector<Operand> call_args;    ///< call: (arg...) ; a prototype label, if any, is operands[1]
};

/// A `.callprototype`, or the labels of a `.branchtargets` / `.calltargets`.
struct Prototype {
    std::vector<Parameter> returns, params;
    bool noreturn = false;
};

/// A function's body, with what is declared in it.
struct Code {
    std::vector<Register> registers;
    std::vector<std::unique_ptr<Variable>> locals; ///< `.local` and `.shared` variables declared in the body
    std::vector<Parameter> call_params;            ///< `.param` variables declared in the body (call sites), offsets
                                                   ///< laid out so that all live ones have a place of their own;
                                                   ///< those of scopes that do not enclose one another share places
    uint64_t call_params_bytes = 0;                ///< size of that area
    std::vector<Instruction> body; ///< never ends by falling off: a final `ret` is added where the text has none
    std::map<std::string, std::vector<uint32_t>> branch_targets; ///< .branchtargets label -> instruction indices
    std::map<std::string, std::vector<std::string>> call_targets;
    std::map<std::string, Prototype> prototypes;
    std::vector<Location> locations{{}}; ///< in the order of the text; [0] is "unknown"
    std::vector<std::string> inlined;    ///< the inlined functions that locations name, mangled; empty: not known
    uint32_t location = 0;               ///< of the opening .loc
};

struct ModuleNames;
struct Module;

/// A place in the text that parsing can start from.
struct Mark {
    size_t at = 0;
    uint32_t line = 1;
};

struct Function {
    std::string name;
    bool is_entry = false;
    bool is_extern = false; ///< declared only
    std::vector<Parameter> returns, params;
    uint32_t text_line = 0;              ///< line of the definition (or declaration) in the PTX text
    uint32_t most_instructions = 0;      ///< how many the body can have
    uint32_t max_threads[3] = {0, 0, 0}; ///< .maxntid, 0: not given
    uint32_t min_blocks = 0;             ///< .minnctapersm, 0: not given
    uint32_t required_threads[3] = {0, 0, 0};
    uint32_t required_cluster[3] = {0, 0, 0}; ///< .reqnctapercluster
    bool explicit_cluster = false;

    /// Parsed when it is first asked for, while the module exists; of a function that is only declared, empty. Throws
    /// ParseError, each time.
    const Code& code() const { return code_ ? *code_ : parse_code(); }
    const std::vector<Instruction>& body() const { return code().body; }
    bool is_parsed() const { return code_ != nullptr; }
    /// The body as far as its first instruction. Throws ParseError.
    Code beginning() const;

  private:
    friend class Parser;
    const Code& parse_code() const;
    ModuleNames* names_ = nullptr; ///< nullptr: it has no body
    Mark begin_;                   ///< of the body
    std::vector<Mark> locs_;       ///< between the function before and the body
    mutable std::unique_ptr<Code> code_;
};

struct Module {
    uint32_t version = 0;                             ///< 10 * major + minor: 90 for 9.0
    std::string target;                               ///< "sm_90a"
    uint32_t sm = 0;                                  ///< 90
    std::vector<std::string> files;                   ///< by .file number (index 0 unused)
    std::vector<std::unique_ptr<Variable>> variables; ///< .global and .const, and module-level .shared
    std::vector<std::unique_ptr<Function>> functions;

    std::map<std::string, std::string> aliases; ///< .alias name, target; function() follows them

    const Function* function(std::string_view name) const;
    const Variable* variable(std::string_view name) const;
    std::string_view text() const;

    std::shared_ptr<ModuleNames> names; ///< private to the parser
};

/// The PTX text is wrong or uses syntax this parser does not know. `line` is the line in the PTX text; what() names it.
struct ParseError : std::runtime_error {
    ParseError(uint32_t text_line, const std::string& what) : std::runtime_error(what), line(text_line) {}
    uint32_t line;
};

/// Parses one PTX module, bodies included. Throws ParseError.
std::unique_ptr<Module> parse(std::string_view text);
/// Parses all but the bodies of functions. Throws ParseError. An error in a body that nobody asks for does no harm.
std::unique_ptr<Module> parse_declarations(std::string_view text);

/// Remembers the modules that were parsed last, for devices that load the same text one after the other.
class Parsed {
  public:
    std::shared_ptr<const Module> module(std::string_view text); ///< by parse_declarations()
  private:
    std::vector<std::shared_ptr<const Module>> known_; ///< the newest one is the last
};

/// A place in the user's source.
struct SourceLine {
    std::string file;
    uint32_t line = 0;
    uint32_t column = 0;
    auto operator<=>(const SourceLine&) const = default;
};

/// A line of an inlining chain.
struct SourceFrame {
    SourceLine place;
    std::string function; ///< whose code the line is, mangled; empty: the PTX function's own, or not known
};

/// Where an instruction is in the program's own files, and from where that code was called.
struct SourceFrames {
    std::vector<SourceFrame> chain;       ///< innermost first
    size_t shown = 0;                     ///< the frame whose line a reader should see first
    std::vector<SourceLine> alternatives; ///< further lines that it may be instead
};

/// Finds, for each instruction, the source line that a reader of the *program* should see: the innermost link of its
/// inlining chain that is in the program's own files rather than in a toolkit or system header.
///
/// nvcc prints the full `inlined_at` chain once per inlining; copies made later (by unrolling) keep only the innermost
/// link. An unchained copy is matched to the first fully chained occurrence of its sequence; where several lines remain
/// possible, all are returned.
class SourceMap {
  public:
    explicit SourceMap(const Module& module);
    ~SourceMap();
    /// Lines for instruction `index` of `function`: usually one, empty when the compiler gave none.
    const std::vector<SourceLine>& lines(const Function& function, uint32_t index) const;
    /// The whole chain of the instruction, innermost first, as far as it is known.
    std::vector<SourceLine> chain(const Function& function, uint32_t index) const;
    /// The program's own part of that chain. Shows the call in the kernel, unless the called code is the reader's own
    /// kernel in all but name: see CallTree.
    SourceFrames frames(const Function& function, uint32_t index) const;
    /// The mangled names of the functions that the program's own line calls and that the instruction is inlined from;
    /// several where it may belong to several calls.
    std::vector<std::string_view> called(const Function& function, uint32_t index) const;
    /// frames() of the first instruction, for which the rest of the function is not parsed. Throws ParseError.
    SourceFrames beginning(const Function& function) const;

  private:
    class OfCode;
    const OfCode& of(const Function& function) const;
    const Module& module_;
    std::vector<bool> own_; ///< by file: not the toolkit's
    mutable std::map<const Function*, std::unique_ptr<OfCode>> functions_;
};

} // namespace sim::ptx
