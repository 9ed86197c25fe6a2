#include "sim/shadow/same_value.h"

#include <algorithm>
#include <cstring>

#include "sim/machine/block.h"

namespace sim::hazards {
namespace {

/// Did a lane of the same instruction write the cell, one that is looked at before this lane?
bool of_this_instruction(const events::Access& a, const StoredBy& me, const Cell& cell, uint64_t at) {
    const Epoch w = cell.write;
    const uint32_t by = lane_of(w);
    return cell.write_pc == me.pc && block_of(w) == me.warp.block && warp_of(w) == me.warp.warp &&
           tick_of(w) == me.warp.tick && by < me.lane && (a.mask >> by & 1) && at - a.address[by] < a.bytes;
}

} // namespace

bool same_value(const memory::GlobalMemory& memory, const events::Access& a, const StoredBy& me, const Cell& cell,
                uint64_t at) {
    if (a.kind == events::Access::Kind::load)
        return cell.agreed;
    if (a.kind != events::Access::Kind::store || !a.stored)
        return false;
    const uint64_t begin = a.address[me.lane];
    uint64_t bytes = std::min(begin + a.bytes - at, 4 - at % 4);
    const std::byte* other = nullptr;
    if (of_this_instruction(a, me, cell, at)) {
        const uint32_t by = lane_of(cell.write);
        other = a.stored + size_t{by} * a.bytes + (at - a.address[by]);
        bytes = std::min(bytes, a.address[by] + a.bytes - at);
    } else if (a.target) {
        other = a.target->shared.data() + at;
    } else if (const auto* allocation = memory.find(at)) {
        other = allocation->data + (at - allocation->address);
    }
    return other && std::memcmp(other, a.stored + size_t{me.lane} * a.bytes + (at - begin), bytes) == 0;
}

} // namespace sim::hazards
