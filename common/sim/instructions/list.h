// Every instruction record of the simulated device.
#pragma once

#include <vector>

#include "sim/instructions/records.h"

namespace sim::instructions {

/// All records of the list in meson.build, in no particular order.
std::vector<const Instruction*> all_instructions();

} // namespace sim::instructions
