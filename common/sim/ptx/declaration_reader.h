// Reads one source file of a program into Declarations.
#pragma once

#include "sim/ptx/declaration_tokens.h"
#include "sim/ptx/declarations.h"

namespace sim::ptx {

class DeclarationReader {
  public:
    /// `last`: the files have been read once before, so names that are still unknown stay unknown.
    DeclarationReader(Declarations& to, size_t file, const std::string& text, bool last)
        : to_(to), file_(file), tokens_(text), last_(last) {}
    void read();

  private:
    using Value = ConstantExpression::Value;

    std::string_view peek(size_t ahead = 0) const {
        return at_ + ahead < tokens_.all.size() ? tokens_.all[at_ + ahead] : std::string_view{};
    }
    bool done() const { return at_ >= tokens_.all.size(); }
    /// Goes behind the token that closes the bracket at the current one.
    void skip_bracket(std::string_view open, std::string_view close);
    void skip_statement();

    Value value(size_t first, size_t last) const;
    Value lookup(std::string_view name) const;
    /// The value of the tokens up to one of `ends` outside brackets, which becomes the current one.
    Value value_until(std::string_view ends);
    void constant(std::string_view name, Value value);

    void template_parameters();
    void constants();
    void alias();
    void kernel();
    void variables();
    bool type(DeclaredType& type, uint64_t& align);
    DeclaredType named_type(const std::string& name) const;
    void declarators(const DeclaredType& type, uint64_t align, std::vector<Declared>& into);
    DeclaredType structure();
    bool member(std::vector<Declared>& members);
    static DeclaredType laid_out(std::vector<Declared> members);

    void define(const std::string& name, const DeclaredType& type);

    Declarations& to_;
    size_t file_;
    SourceTokens tokens_;
    bool last_;
    size_t at_ = 0;
    size_t depth_ = 0; ///< of structures in structures
};

} // namespace sim::ptx
