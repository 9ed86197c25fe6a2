// The PTX front end under libFuzzer: any text is parsed and decoded, or refused with a ParseError. See docs/adding.md.
#include "sim/instructions/list.h"
#include "sim/machine/program.h"
#include "sim/ptx/module.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        sim::memory::GlobalMemory memory(64 << 20);
        sim::machine::LoadedModule module(sim::ptx::parse({reinterpret_cast<const char*>(data), size}), memory, 0,
                                          sim::instructions::find_instruction);
        for (const auto& function : module.ptx().functions) {
            for (uint32_t i = 0; i < function->body.size(); ++i) {
                module.sources().lines(*function, i);
                module.sources().chain(*function, i);
            }
            if (!function->is_extern)
                module.decoded(*function);
        }
    } catch (const sim::ptx::ParseError& error) {
        if (std::string_view(error.what()).size() <= 10)
            std::abort();
    }
    return 0;
}
