// The special registers by name. Source: PTX ISA, "Special Registers".
#pragma once

#include <string_view>

namespace sim::ptx {

/// Whether PTX has a special register of this name, e.g. "%tid.x", "%envreg3", "%clock64".
bool is_special_register(std::string_view name);

} // namespace sim::ptx
