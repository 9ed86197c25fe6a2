#pragma once

#include "sim/ptx/module.h"

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace sim::ptx {

/// A program of programs/, or the PTX that nvcc made of it in the build folder.
inline std::string read_data(const std::string& name) {
    std::ifstream file((name.ends_with(".ptx") ? PTX_BUILT "/" : PTX_PROGRAMS "/") + name);
    if (!file)
        throw std::runtime_error("no test data " + name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

/// Module-level text behind the usual three directives; its first line is line 4.
inline std::unique_ptr<Module> parse_module(const std::string& text) {
    return parse(".version 8.4\n.target sm_90a\n.address_size 64\n" + text);
}

/// The body of a kernel with one parameter `p` and a few registers; the body's first line is line 7.
inline std::unique_ptr<Module> parse_body(const std::string& body) {
    return parse_module(".visible .entry k(.param .u64 p)\n{\n"
                        ".reg .pred %p<4>; .reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .f32 %f<4>;\n" +
                        body + "\n}\n");
}

/// The message with which the text is refused; empty if it is accepted.
template <class Parse>
std::string refusal(Parse parse_it, const std::string& text) {
    try {
        parse_it(text);
    } catch (const ParseError& error) {
        return error.what();
    }
    return "";
}

} // namespace sim::ptx
