// The environment in which a compiled lab is run.
#include <cstdlib>

#include "compile/compiler.h"

namespace compile {

isolation::Box Compiler::program_box(const Compiled& compiled) const {
    isolation::Box box = tools_.box();
    box.readable.push_back(compiled.program.parent_path());
    box.readable.push_back(tools_.paths().cudart());
    return box;
}

std::map<std::string, std::string> Compiler::environment() const {
    const char* before = std::getenv("LD_LIBRARY_PATH");
    return {
        {"LD_LIBRARY_PATH", tools_.paths().cudart().string() + (before && *before ? std::string(":") + before : "")}};
}

check::RunConfig Compiler::run_config(const Compiled& compiled, const check::Target& target) const {
    check::RunConfig config;
    config.program = compiled.program;
    config.target = target;
    config.ptx = compiled.ptx.at(target.arch());
    config.environment = environment();
    config.box = program_box(compiled);
    return config;
}

} // namespace compile
