// The record of one PTX mnemonic. Each lives in a file of its own under instructions/.
#pragma once

#include <string_view>

#include "sim/machine/op.h"

namespace sim::machine {

class Decoder;

/// How the simulated device departs from the manual in some forms of an instruction.
struct Inexact {
    std::string_view forms; ///< a modifier that they have: ".approx"; empty: all forms
    std::string_view how;   ///< for people; empty: it does not depart from the manual
    bool judged = true;     ///< false: it does something to memory or to the order that the device does not follow
};

struct Instruction {
    std::string_view name;      ///< mnemonic, possibly with leading modifiers: "ld", "mbarrier.try_wait"
    std::string_view syntax;    ///< the forms, in the PTX manual's notation; see syntax.h
    uint16_t isa = 10;          ///< PTX ISA version that introduced it, times ten
    uint16_t sm = 0;            ///< first sm
    std::string_view targets{}; ///< what its forms need beyond `sm`, see target.h; empty: any target
    std::string_view manual;    ///< anchor in https://docs.nvidia.com/cuda/parallel-thread-execution/
    /// Fills Decoder::op from the matched form and the operands and returns the handler.
    Handler (*decode)(Decoder&);
    Use use = Use::propagate;
    Effects effects[4]{};
    Inexact inexact[2]{}; ///< none: executed exactly
};

} // namespace sim::machine
