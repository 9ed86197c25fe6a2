// Fences, and accesses that synchronise: atomics, volatile, relaxed, acquire and release.
#include <algorithm>

#include "sim/hazards/detector.h"

namespace sim::hazards {

void Detector::fence(Exec& x, Semantics semantics, Scope scope, uint32_t mask) {
    WarpState& ws = state(x.warp);
    if (semantics != Semantics::release)
        for (uint32_t rest = mask; rest && (ws.seen || relaxed_reads_); rest &= rest - 1) {
            const auto lane = uint32_t(std::countr_zero(rest));
            if (ws.seen_clock[lane])
                acquire(ws, 1u << lane, ws.seen_clock[lane]);
            if (relaxed_reads_)
                if (const ClockRef told = projected(ws.clock(lane), Plane::seen, Plane::generic))
                    acquire(ws, 1u << lane, told);
        }
    if (semantics == Semantics::acquire)
        return;
    ws.fenced = true;
    const uint32_t tick = ws.tick;
    const bool device = scope != Scope::cta;
    for (uint32_t lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1) {
            ws.tick = tick;
            ws.fence_clock_block[lane] = released(ws, 1u << lane);
            if (device) {
                ws.fence_clock[lane] = ws.fence_clock_block[lane];
                ws.membar[lane] = tick;
            }
        }
    ws.membar_used = ws.membar_used || device;
    device_fences_ = device_fences_ || device;
    ws.tick = tick + 1;
}

// "A fence.sc operation X synchronizes with a fence.sc operation Y if X precedes Y in the Fence-SC order": what a
// thread has fenced and then told this one (through a barrier, say) is published by this one's relaxed writes.
ClockRef Detector::fenced_by_others(WarpState& ws, uint32_t lane) {
    const ClockRef& known = ws.clock(lane);
    if (ws.projected_from != known) {
        ws.projected_from = known;
        ws.projected = projected(known, Plane::fenced_device, Plane::generic);
    }
    return ws.projected;
}

ClockRef Detector::projected(const ClockRef& clock, Plane from, Plane to) {
    ClockBuilder builder;
    for (const auto& entry : clock->entries()) {
        Chunk only(entry.chunk->warps());
        if (only.project(*entry.chunk, from, to))
            builder.own(entry.block, entry.chunk->warps()).join(only);
    }
    return builder.empty() ? nullptr : builder.take();
}

void Detector::strong_access(Exec& x, const Access& a, WarpState& ws, int lane, Cell& cell, uint64_t key) {
    const auto l = size_t(lane);
    const bool writes = a.kind != Access::Kind::load;
    const bool releases = a.semantics == Semantics::release || a.semantics == Semantics::acq_rel;
    const bool acquires = a.semantics == Semantics::acquire || a.semantics == Semantics::acq_rel;
    auto locate = [&]() -> LocationClock& {
        return a.target ? state(*a.target).locations[uint32_t(key)] : locations_[key];
    };
    if (cell.has_clock && a.kind != Access::Kind::store) {
        const LocationClock& location = locate();
        if (acquires && location.block && location.owner != ws.block) {
            ws.narrow = location.block;
            ws.narrow_release_pc = cell.write_pc == x.pc() ? 0 : cell.write_pc;
            ws.narrow_acquire_pc = x.pc();
        }
        for (const ClockRef& clock : {location.device, location.owner == ws.block ? location.block : ClockRef{}}) {
            if (!clock)
                continue;
            if (acquires) {
                acquire(ws, 1u << lane, clock);
                continue;
            }
            // A fence after this access acquires, and so does one of a thread that this one synchronises with.
            if (ws.seen_last[l] == clock)
                continue;
            ws.seen_last[l] = clock;
            ClockBuilder builder;
            builder.join(ws.seen_clock[l]);
            builder.join(clock);
            ws.seen_clock[l] = builder.take();
            ws.seen = relaxed_reads_ = true;
            acquire(ws, 1u << lane, projected(clock, Plane::generic, Plane::seen));
        }
    }
    if (!writes)
        return;
    if (a.kind == Access::Kind::store && cell.has_clock) { // a plain store ends the release sequence
        locate() = {};
        cell.has_clock = 0;
    }
    ClockBuilder in_block, in_device;
    if (releases) {
        const ClockRef all = released(ws, 1u << lane);
        (a.scope == Scope::cta ? in_block : in_device).join(all);
    } else {
        in_block.join(ws.fence_clock_block[l]);
        if (a.scope != Scope::cta)
            in_device.join(ws.fence_clock[l]);
    }
    if (device_fences_ && a.scope != Scope::cta)
        in_device.join(fenced_by_others(ws, uint32_t(lane)));
    if (in_block.empty() && in_device.empty())
        return;
    LocationClock& location = locate();
    if (!in_block.empty()) {
        if (location.owner == ws.block)
            in_block.join(location.block);
        location.block = in_block.take();
        location.owner = ws.block;
    }
    if (!in_device.empty()) {
        in_device.join(location.device);
        location.device = in_device.take();
    }
    cell.has_clock = 1;
    (void)x;
}

} // namespace sim::hazards
