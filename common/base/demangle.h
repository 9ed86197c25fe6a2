// Names of functions and variables as the program's source has them.
#pragma once

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace base {

/// "space::square" for _ZN5space6squareI…: a function's name alone; empty: it is no such name.
inline std::string plain_name(std::string_view symbol) {
    if (!symbol.starts_with("_Z"))
        return {};
    symbol.remove_prefix(symbol.starts_with("_ZN") ? 3 : 2);
    std::string name;
    while (!symbol.empty() && symbol[0] >= '1' && symbol[0] <= '9') {
        size_t length = 0;
        for (; !symbol.empty() && symbol[0] >= '0' && symbol[0] <= '9' && length < symbol.size();
             symbol.remove_prefix(1))
            length = length * 10 + size_t(symbol[0] - '0');
        if (length > symbol.size())
            return {};
        name += name.empty() ? "" : "::";
        name += symbol.substr(0, length);
        symbol.remove_prefix(length);
    }
    return name;
}

/// "void square<4>(int*)" for its mangled name, and only "square" if the C++ library cannot read it, as happens to
/// templates whose arguments fill a page; any other name is returned unchanged.
inline std::string demangled(const std::string& symbol) {
    if (!symbol.starts_with("_Z"))
        return symbol; // "a" alone would be the type signed char
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
    if (text)
        return text.get();
    const std::string plain = plain_name(symbol);
    return plain.empty() ? symbol : plain;
}

/// "square<4>": without its parameters, and without the type that templates have before them.
inline std::string function_name(const std::string& symbol) {
    std::string name = demangled(symbol);
    name.erase(std::min(name.find('('), name.size()));
    return name.starts_with("void ") ? name.substr(5) : name;
}

} // namespace base
