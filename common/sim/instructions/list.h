// Every instruction record of the simulated device.
#pragma once

#include <vector>

#include "sim/instructions/records.h"

namespace sim::instructions {

/// All records of the list in meson.build, in no particular order.
std::vector<const Instruction*> all_instructions();
/// The record whose name is the longest prefix of `opcode` (at a dot); nullptr: not known. For machine::Parts. Like
/// ptxas, it takes a name's `.sync` or `.cc` at any place: vote.ballot.sync.b32 is vote.sync.
const Instruction* find_instruction(std::string_view opcode);

} // namespace sim::instructions
