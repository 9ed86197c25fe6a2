// Extended-precision arithmetic: the condition code CC.CF is one carry flag per lane, kept in the frame as a lane mask.
#pragma once

#include "sim/instructions/floating.h"

namespace sim::instructions {

/// Decodes mad.cc (reads nothing, writes the flag), madc (reads it) and madc.cc (both).
Handler carry_multiply_add(Decoder&, Type, bool reads, bool writes);

/// The function's carry flag; room for it is made in the frame at first use.
OperandRef carry_flag(Decoder&);

} // namespace sim::instructions
