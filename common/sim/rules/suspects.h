// What one would expect to be reported when an instruction is missing: the answers that `lab break` offers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/rules/rule.h"

namespace sim::hazards {

/// The rules that are suspected when an instruction with this mnemonic is taken out, the likeliest first. `mnemonics`:
/// all that could be taken out of the kernel; rules whose instructions the kernel lacks are left out.
std::vector<const Rule*> suspected_without(std::string_view mnemonic, const std::vector<std::string>& mnemonics);

} // namespace sim::hazards
