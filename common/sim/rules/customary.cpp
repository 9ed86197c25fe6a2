#include "sim/rules/customary.h"

namespace sim::hazards {

bool only_customary_edge(const Conflict& conflict, Explanation& text) {
    const EpochKind kind = kind_of(conflict.other);
    if (kind != EpochKind::plain && kind != EpochKind::strong)
        return false;
    const uint32_t lane = conflict.lane, by = lane_of(conflict.other), tick = tick_of(conflict.other);
    const uint64_t block = block_of(conflict.other);
    const WarpClock& clock = conflict.warp.clock;
    const WarpHistory& history = conflict.warp.history;
    if (block == clock.block && warp_of(conflict.other) == clock.warp && (history.rendezvous_mask[lane] >> by & 1) &&
        history.rendezvous_tick[lane] >= tick && (history.rendezvous_mask[by] >> lane & 1)) {
        text.message +=
            " The two lanes synchronise only through a shuffle or a vote, which does not order memory accesses.";
        return true;
    }
    const Chunk* chunk = clock.clock(lane)->chunk(block);
    if (chunk && chunk->at(Plane::seen, warp_of(conflict.other), by) >= tick) {
        text.message +=
            " This thread learned of the write through a relaxed atomic operation, and no fence follows it.";
        text.remedy = "Put __threadfence() after the atomic operation, or give that operation acquire semantics.";
        return true;
    }
    return false;
}

} // namespace sim::hazards
