// How a file of this folder offers its records to the list: `INSTRUCTIONS(add) = {{...}, {...}};` in add.cpp, and the
// line 'add' in meson.build.
#pragma once

#include <initializer_list>

#include "sim/machine/decoder.h"
#include "sim/machine/exec.h"
#include "sim/machine/instruction.h"

#define INSTRUCTIONS(file)                                                                                             \
    extern const std::initializer_list<Instruction> file##_instructions;                                               \
    const std::initializer_list<Instruction> file##_instructions

namespace sim::instructions {
using namespace machine;
using ptx::Kind;
using ptx::Space;
using ptx::Type;
} // namespace sim::instructions
