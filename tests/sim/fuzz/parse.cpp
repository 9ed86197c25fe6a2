#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "sim/instructions/list.h"
#include "sim/machine/program.h"
#include "sim/ptx/module.h"
#include "targets.h"

namespace sim::fuzz {

/// Parses the text, asks for every source line and decodes every function. Ends the program if a refusal is not one
/// line that a person can read.
bool parse(std::string_view text) {
    try {
        memory::GlobalMemory memory(64 << 20);
        machine::LoadedModule module(ptx::parse(text), memory, 0, instructions::find_instruction);
        for (const auto& function : module.ptx().functions) {
            for (uint32_t i = 0; i < function->body().size(); ++i) {
                module.sources().lines(*function, i);
                module.sources().chain(*function, i);
            }
            if (!function->is_extern)
                module.decoded(*function);
        }
        return true;
    } catch (const ptx::ParseError& error) {
        const std::string_view message = error.what();
        const auto lines = std::ranges::count(text, '\n') + 1;
        if (message.size() <= 10 || message.size() > 1000 || message.find('\n') != message.npos ||
            int64_t(error.line) > lines) {
            std::fprintf(stderr, "line %u of %lld: %s\n", error.line, static_cast<long long>(lines), error.what());
            std::abort();
        }
        return false;
    }
}

} // namespace sim::fuzz
