// The record of one PTX mnemonic. Each lives in a file of its own under instructions/.
#pragma once

#include <string_view>

#include "sim/machine/op.h"

namespace sim::machine {

class Decoder;

struct Instruction {
    std::string_view name;   ///< mnemonic, possibly with leading modifiers: "ld", "mbarrier.try_wait"
    std::string_view syntax; ///< the forms, in the PTX manual's notation; see syntax.h
    uint16_t isa = 10;       ///< PTX ISA version that introduced it, times ten
    uint16_t sm = 0;         ///< first sm
    std::string_view manual; ///< anchor in https://docs.nvidia.com/cuda/parallel-thread-execution/
    /// Fills Decoder::op from the matched form and the operands and returns the handler.
    Handler (*decode)(Decoder&);
    Use use = Use::propagate;
};

} // namespace sim::machine
