// Instructions of newer GPUs that the simulated device knows only by name. PTX for an older target gets the targets
// that have them.
#include "sim/instructions/operands.h"

#include <fmt/format.h>

namespace sim::instructions::newer_gpus {
namespace {

Handler refuse(Decoder& d) {
    d.fail(fmt::format("'{}' is not part of the simulated device yet", d.source.opcode));
}

} // namespace

// No syntax: any form matches.
INSTRUCTIONS = {
    {.name = "tcgen05", .syntax = "", .isa = 86, .targets = "sm_100f sm_110f", .manual = "tcgen05", .decode = refuse},
    {.name = "clusterlaunchcontrol",
     .syntax = "",
     .isa = 86,
     .targets = "sm_100",
     .manual = "parallel-synchronization-and-communication-instructions-clusterlaunchcontrol-try-cancel",
     .decode = refuse},
    {.name = "st.bulk",
     .syntax = "",
     .isa = 86,
     .targets = "sm_100",
     .manual = "data-movement-and-conversion-instructions-st-bulk",
     .decode = refuse},
};

} // namespace sim::instructions::newer_gpus
