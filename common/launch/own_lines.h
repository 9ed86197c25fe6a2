// PTX compiled without line information is its own source.
#pragma once

#include <string>
#include <string_view>

namespace launch {

/// The PTX with a .loc in front of each instruction that names its own line of `file`; unchanged if it has a .loc.
std::string with_own_lines(std::string_view ptx, std::string_view file);

} // namespace launch
