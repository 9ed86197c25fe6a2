#include "sim/ordering/map_order.h"

#include <algorithm>

namespace sim::hazards {
namespace {

// More than programs use, and few enough to be looked through.
constexpr size_t maps_kept = 4096, acquires_of_a_thread = 4; // of one block; of one map

} // namespace

void MapReleases::release(WarpClock& warp, uint32_t mask) {
    ClockBuilder builder;
    builder.join(known_);
    warp.release_into(builder, mask & warp.population);
    known_ = builder.take();
}

void MapAcquires::acquire(WarpClock& warp, uint32_t lane, uint64_t address, Scope scope) {
    if (maps_.size() >= maps_kept && !maps_.contains(address)) {
        maps_.clear();
        some_forgotten_ = true;
    }
    auto& [acquires, some_forgotten] = maps_[address];
    const auto same = [&](const Acquire& one) { return one.warp == warp.warp && one.lane == lane; };
    if (size_t(std::ranges::count_if(acquires, same)) == acquires_of_a_thread) {
        acquires.erase(std::ranges::find_if(acquires, same));
        some_forgotten = true;
    }
    acquires.push_back({warp.warp, lane, warp.tick, scope, warp.released(1u << lane)});
}

MapAcquires::Answer MapAcquires::acquired(const Ordering& ordering, const WarpClock& warp, uint32_t lane,
                                          uint64_t address, Epoch e) const {
    const auto found = maps_.find(address);
    if (found == maps_.end())
        return some_forgotten_ ? Answer::yes : Answer::no;
    Answer answer = Answer::no;
    bool covered = false;
    const auto& acquires = found->second.acquires;
    for (auto at = acquires.rbegin(); at != acquires.rend(); ++at) {
        const Acquire& one = *at;
        if (e && !ordering.operations.ordered(block_of(e)) && !covers(one.knows, e))
            continue;
        covered = true;
        const Epoch then = make_epoch(EpochKind::plain, warp.block, one.warp, one.lane, one.tick);
        if (!ordering.ordered(warp, lane, then))
            continue;
        if (e ? one.scope == Scope::cta && block_of(e) != warp.block : one.scope != Scope::sys) {
            answer = Answer::too_narrow;
            continue;
        }
        return Answer::yes;
    }
    // What a thread knew at an earlier acquire, it knows at a later one: none that is forgotten covers more.
    return covered && answer == Answer::no && found->second.some_forgotten ? Answer::yes : answer;
}

bool MapAcquires::any(uint64_t address) const {
    return maps_.contains(address);
}

} // namespace sim::hazards
