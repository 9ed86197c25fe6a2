#include "sim/ordering/map_order.h"

#include <algorithm>
#include <ranges>

namespace sim::hazards {
namespace {

constexpr size_t acquires_kept = 512; // of one block

} // namespace

bool covers(const ClockRef& clock, Epoch e) {
    const Chunk* chunk = clock ? clock->chunk(block_of(e)) : nullptr;
    const Plane plane = kind_of(e) == EpochKind::copy ? Plane::copies : Plane::generic;
    return chunk && chunk->at(plane, warp_of(e), lane_of(e)) >= tick_of(e);
}

void MapReleases::release(WarpClock& warp, uint32_t mask) {
    ClockBuilder builder;
    builder.join(known_);
    warp.release_into(builder, mask & warp.population);
    known_ = builder.take();
}

void MapAcquires::acquire(WarpClock& warp, uint32_t lane, uint64_t address, Scope scope) {
    if (acquires_.size() >= acquires_kept)
        acquires_.erase(acquires_.begin(), acquires_.begin() + acquires_kept / 2);
    const uint32_t tick = warp.tick;
    acquires_.push_back({address, warp.warp, lane, tick, scope, warp.released(1u << lane)});
}

MapAcquires::Answer MapAcquires::acquired(const Ordering& ordering, const WarpClock& warp, uint32_t lane,
                                          uint64_t address, Epoch e) const {
    Answer answer = Answer::no;
    for (const Acquire& one : acquires_ | std::views::reverse) {
        const Epoch then = make_epoch(EpochKind::plain, warp.block, one.warp, one.lane, one.tick);
        if (one.address != address || !ordering.ordered(warp, lane, then))
            continue;
        if (e && !ordering.operations.ordered(block_of(e)) && !covers(one.knows, e))
            continue;
        if (e && one.scope == Scope::cta && block_of(e) != warp.block) {
            answer = Answer::too_narrow;
            continue;
        }
        return Answer::yes;
    }
    return answer;
}

bool MapAcquires::any(uint64_t address) const {
    return std::ranges::any_of(acquires_, [&](const Acquire& one) { return one.address == address; });
}

} // namespace sim::hazards
