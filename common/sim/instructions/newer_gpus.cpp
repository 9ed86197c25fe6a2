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
};

} // namespace sim::instructions::newer_gpus
