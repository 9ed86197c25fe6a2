// Instructions that the modelled GPU does not have: refused, with the GPU that has them.
#include <fmt/format.h>

#include "sim/instructions/operands.h"

namespace sim::instructions::newer_gpus {
namespace {

Handler refuse(Decoder& d) {
    d.fail(fmt::format("{} needs {}; the modelled GPU is sm_90 (Hopper)", d.source.opcode,
                       d.op.record->sm >= 100 ? fmt::format("sm_{} or newer (Blackwell)", d.op.record->sm)
                                              : fmt::format("sm_{}", d.op.record->sm)));
}

} // namespace

// No syntax: any form matches.
INSTRUCTIONS = {
    {.name = "tcgen05", .syntax = "", .isa = 86, .sm = 100, .manual = "tcgen05", .decode = refuse},
    {.name = "clusterlaunchcontrol",
     .syntax = "",
     .isa = 86,
     .sm = 100,
     .manual = "parallel-synchronization-and-communication-instructions-clusterlaunchcontrol-try-cancel",
     .decode = refuse},
    {.name = "st.bulk",
     .syntax = "",
     .isa = 86,
     .sm = 100,
     .manual = "data-movement-and-conversion-instructions-st-bulk",
     .decode = refuse},
};

} // namespace sim::instructions::newer_gpus
