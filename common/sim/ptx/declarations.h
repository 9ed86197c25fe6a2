// Declarations in the program's source that PTX lacks: the types of variables, and the names of parameters. It reads
// the text without compiling it, and keeps only what it is sure of.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sim::ptx {

struct Struct;

/// A type: bytes of one value, and its members if it has any. No bytes: not known.
struct DeclaredType {
    uint64_t bytes = 0, align = 1;
    std::shared_ptr<const Struct> members;
};

/// A variable, or a member: T name[dimensions]. A dimension of 0 is not known.
struct Declared {
    std::string name;
    DeclaredType type;
    std::vector<uint64_t> dimensions;
    uint64_t align = 1;
};

/// Its members have offsets; without padding behind the last one.
struct Struct {
    std::vector<std::pair<uint64_t, Declared>> members;
};

/// Named declarations, by name and by file (a number). In its own file a name is known; elsewhere it is known if all
/// files agree.
template <class T>
class Named {
  public:
    using Value = std::optional<T>; ///< nullopt: several of this name, or not known
    std::map<size_t, Value>& of(std::string_view name) { return of_[std::string(name)]; }
    const Value* find(std::string_view name, size_t file) const {
        const auto known = of_.find(name);
        if (known == of_.end() || known->second.empty())
            return nullptr;
        const auto own = known->second.find(file);
        return own != known->second.end()  ? &own->second
               : known->second.size() == 1 ? &known->second.begin()->second
                                           : nullptr;
    }

  private:
    std::map<std::string, std::map<size_t, Value>, std::less<>> of_;
};

class Declarations {
  public:
    /// Reads these files of a program, which are numbered in this order. A file that cannot be read declares nothing.
    explicit Declarations(const std::vector<std::string>& files);

    /// The part of the variable `name` of `bytes` bytes (0: not known) that holds the byte at `offset`: "[1][3]",
    /// ".empty[2]", "" (it has no parts). nullopt: not known. `file`: the one that is likely to declare it.
    std::optional<std::string> part(std::string_view name, uint64_t bytes, uint64_t offset, size_t file) const;
    /// The names of the parameters of the kernel `name` (without its scope) if it has `count`; else none.
    std::vector<std::string> parameters(std::string_view name, size_t count, size_t file) const;

  private:
    friend class DeclarationReader;
    template <class T>
    struct InFile {
        size_t file;
        T what;
    };
    std::multimap<std::string, InFile<Declared>, std::less<>> variables_;
    std::multimap<std::string, InFile<std::vector<std::string>>, std::less<>> parameters_;
    Named<DeclaredType> types_;
    Named<int64_t> constants_;
};

/// Bytes of a value of a type that the language or the toolkit defines ("unsigned int", "float4"); 0: not known.
uint64_t bytes_of_type(std::string_view name);

} // namespace sim::ptx
