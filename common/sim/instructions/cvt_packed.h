// cvt to and from packed formats (.f16x2, .bf16x2, .e4m3x2, .e5m2x2) and to .tf32.
#pragma once

#include "sim/instructions/operands.h"

namespace sim::instructions {

Handler decode_packed_cvt(Decoder&);
/// The forms with .e2m1x2, .e2m3x2, .e3m2x2 and .ue8m0x2, with .bf16x2 sources, and with .rs.
Handler decode_small_cvt(Decoder&);

} // namespace sim::instructions
