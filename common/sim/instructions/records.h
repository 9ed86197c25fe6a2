// How a file of this folder offers its records to the list: `INSTRUCTIONS = {{...}, {...}};` in add.cpp, in a
// namespace with the file's name, and the line 'add' in meson.build.
#pragma once

#include <initializer_list>

#include "sim/machine/decoder.h"
#include "sim/machine/exec.h"
#include "sim/machine/instruction.h"

#define INSTRUCTIONS                                                                                                   \
    extern const std::initializer_list<Instruction> instructions;                                                      \
    const std::initializer_list<Instruction> instructions

namespace sim::instructions {

/// What approximate instructions have in common.
inline constexpr std::string_view rounded_correctly = "the correctly rounded result; a GPU may differ in the last bits";

using namespace machine;
using ptx::Kind;
using ptx::Space;
using ptx::Type;
} // namespace sim::instructions
