#include "launch/skeleton.h"

#include <fmt/format.h>

#include "launch/arguments.h"
#include "sim/ptx/module.h"

namespace launch {

namespace {

// A structure is an array of numbers here.
std::string zeros(uint64_t bytes) {
    const bool words = bytes % 4 == 0;
    std::string all;
    for (uint64_t i = 0; i < (words ? bytes / 4 : bytes); ++i)
        all += i ? ", 0" : "0";
    return fmt::format("{{ value = [{}], type = \"{}\" }}", all, words ? "u32" : "u8");
}

} // namespace

std::string skeleton(std::string_view ptx) {
    const auto module = sim::ptx::parse_declarations(ptx);
    for (const auto& function : module->functions) {
        if (!function->is_entry || function->is_extern)
            continue;
        std::string arguments, buffers;
        for (const auto& parameter : function->params) {
            const std::string name = fmt::format("p{}", &parameter - function->params.data());
            const bool map = parameter.bytes == 128 && parameter.align == 64, pointer = parameter.bytes == 8;
            if (map || pointer)
                buffers += fmt::format("    {{ name = \"{}\", type = \"f32\", count = 4096, fill = \"i\" }},\n", name);
            arguments += "    ";
            arguments += map ? fmt::format("{{ map = {{ buffer = \"{}\", size = [64, 64], box = [32, 32] }} }},", name)
                         : pointer
                             ? fmt::format("{{ buffer = \"{}\" }}, # or, if it is no pointer, {{ value = 0 }}", name)
                         : parameter.bytes < 8 ? fmt::format("{{ value = 0 }}, # {} bytes", parameter.bytes)
                                               : zeros(parameter.bytes) + ",";
            arguments += "\n";
        }
        return fmt::format("kernel = \"{}\"\ngrid = 1\nshared = 0\narguments = [\n{}]\nbuffers = [\n{}]\n",
                           base_name(function->name), arguments, buffers);
    }
    return {};
}

} // namespace launch
