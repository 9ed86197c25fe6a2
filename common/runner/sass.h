// What nvdisasm says a kernel became, by source line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace runner {

/// Instructions of one name that one source line became.
struct SassLine {
    std::string kernel; ///< "sum_of_magnitudes"
    uint32_t line = 0;  ///< in the file asked for; 0: not known
    std::string name;   ///< "SYNCS.PHASECHK.TRANS64.TRYWAIT"
    size_t count = 0;
    bool operator==(const SassLine&) const = default;
};

/// Reads the output of `nvdisasm -gi -c`. Instructions that were inlined into `file` count for the line there that is
/// nearest to them. Ordered by kernel, as they come, then by line and by first instruction.
std::vector<SassLine> sass_lines(std::string_view disassembly, std::string_view file);

/// What an instruction of this name does for asynchronous copies and synchronisation; empty: it has no part in them.
std::string_view sass_meaning(std::string_view name);

} // namespace runner
