// Names of functions and variables as the program's source has them.
#pragma once

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

namespace base {

/// "void square<4>(int*)" for its mangled name; any other name is returned unchanged.
inline std::string demangled(const std::string& symbol) {
    if (!symbol.starts_with("_Z"))
        return symbol; // "a" alone would be the type signed char
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
    return text ? text.get() : symbol;
}

/// "square<4>": without its parameters, and without the type that templates have before them.
inline std::string function_name(const std::string& symbol) {
    std::string name = demangled(symbol);
    name.erase(std::min(name.find('('), name.size()));
    return name.starts_with("void ") ? name.substr(5) : name;
}

} // namespace base
