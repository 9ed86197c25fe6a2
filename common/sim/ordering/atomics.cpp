#include "sim/ordering/atomics.h"

#include <algorithm>
#include <bit>

namespace sim::hazards {
namespace {

/// Plane `from` of a clock as plane `to` of a new one; nullptr: there is nothing in it. `block`: what it knows of that
/// block only; 0: of all.
ClockRef projected(const ClockRef& clock, Plane from, Plane to, uint64_t block = 0) {
    ClockBuilder builder;
    for (const auto& entry : clock->entries()) {
        if (block && entry.block != block)
            continue;
        Chunk only(entry.chunk->warps());
        if (only.project(*entry.chunk, from, to))
            builder.own(entry.block, entry.chunk->warps()).join(only);
    }
    return builder.empty() ? nullptr : builder.take();
}

bool acquires(Semantics semantics) {
    return semantics == Semantics::acquire || semantics == Semantics::acq_rel;
}
bool releases(Semantics semantics) {
    return semantics == Semantics::release || semantics == Semantics::acq_rel;
}

} // namespace

bool acquires(const WarpClock& warp, uint32_t lane, Semantics semantics, const LocationClock& location, Epoch e) {
    return acquires(semantics) && (covers(warp.seen_clock[lane], e) || covers(warp.seen_in_block[lane], e)) &&
           (covers(location.device, e) || (location.owner == warp.block && covers(location.block, e)));
}

void Atomics::fence(WarpClock& warp, Semantics semantics, Scope scope, uint32_t mask, uint32_t pc) {
    const bool device = scope != Scope::cta;
    if (semantics != Semantics::release)
        for (uint32_t rest = mask; rest && (warp.seen || relaxed_reads_); rest &= rest - 1) {
            const auto lane = uint32_t(std::countr_zero(rest));
            const ClockRef &near = warp.seen_in_block[lane], &far = warp.seen_clock[lane];
            if (near)
                warp.acquire(1u << lane, near);
            if (far && device)
                warp.acquire(1u << lane, far);
            else if (far)
                warp.narrow = {far, nullptr, WarpClock::NarrowEdge::Part::fence_after, pc, 0, 0};
            if (relaxed_reads_)
                if (const ClockRef released =
                        projected(warp.clock(lane), Plane::seen, Plane::generic, device ? 0 : warp.block))
                    warp.acquire(1u << lane, released);
        }
    if (semantics == Semantics::acquire)
        return;
    warp.fenced = true;
    const uint32_t tick = warp.tick;
    if (!device)
        warp.block_fence_pc = pc;
    for (uint32_t lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1) {
            warp.tick = tick;
            warp.fence_clock_block[lane] = warp.released(1u << lane);
            if (device) {
                warp.fence_clock[lane] = warp.fence_clock_block[lane];
                warp.fenced_device[lane] = tick;
            }
        }
    warp.membar_used = warp.membar_used || device;
    device_fences_ = device_fences_ || device;
    warp.tick = tick + 1;
}

// "A fence.sc operation X synchronizes with a fence.sc operation Y if X precedes Y in the Fence-SC order": this
// thread's relaxed writes publish what another thread has fenced before it synchronised with this one (through a
// barrier, say).
ClockRef Atomics::fenced_by_others(WarpClock& warp, uint32_t lane) {
    const ClockRef& known = warp.clock(lane);
    if (warp.projected_from != known) {
        warp.projected_from = known;
        warp.projected = projected(known, Plane::fenced_device, Plane::generic);
    }
    return warp.projected;
}

/// Without the launches that precede the running one: its own blocks stand for them.
ClockRef Atomics::still_needed(const ClockRef& clock) const {
    const auto old = [this](const Clock::Entry& entry) { return operations_.ordered(entry.block); };
    if (!clock || clock->entries().front().block >= operations_.base() || std::ranges::none_of(clock->entries(), old))
        return clock;
    ClockBuilder builder;
    for (const Clock::Entry& entry : clock->entries())
        if (!old(entry))
            builder.own(entry.block, entry.chunk->warps()).join(*entry.chunk);
    return builder.empty() ? nullptr : builder.take();
}

void Atomics::read(WarpClock& warp, uint32_t lane, const StrongAccess& access, const LocationClock& location) {
    using Part = WarpClock::NarrowEdge::Part;
    const bool in_block = location.owner == warp.block, reaches = access.scope != Scope::cta;
    const bool from_here = location.released_by == warp.block;
    const uint32_t release_pc = access.last_write_pc == access.pc ? 0 : access.last_write_pc;
    if (location.block && !in_block)
        warp.narrow = {location.block,     location.device, location.narrow_fence ? Part::fence_before : Part::release,
                       location.narrow_pc, release_pc,      access.pc};
    else if (location.device && !reaches && !from_here)
        warp.narrow = {location.device, nullptr, Part::acquire, access.pc, release_pc, access.pc};
    const auto take = [&](const ClockRef& clock, std::array<ClockRef, 32>& seen) {
        if (!clock)
            return;
        if (acquires(access.semantics))
            return warp.acquire(1u << lane, clock);
        // A fence after this access acquires, and so does one of a thread that this one synchronises with.
        if (warp.seen_last[lane] == clock)
            return;
        warp.seen_last[lane] = clock;
        ClockBuilder builder;
        builder.join(seen[lane]);
        builder.join(clock);
        seen[lane] = builder.take();
        warp.seen = relaxed_reads_ = true;
        warp.acquire(1u << lane, projected(clock, Plane::generic, Plane::seen));
    };
    if (reaches || from_here)
        take(still_needed(location.device), from_here ? warp.seen_in_block : warp.seen_clock);
    if (in_block)
        take(location.block, warp.seen_in_block);
}

bool Atomics::access(WarpClock& warp, uint32_t lane, const StrongAccess& access, LocationClocks& locations,
                     uint64_t key, bool has_clock) {
    using Kind = events::Access::Kind;
    if (has_clock && access.kind != Kind::store)
        read(warp, lane, access, locations[key]);
    if (access.kind == Kind::load)
        return has_clock;
    ClockBuilder in_block, in_device;
    if (access.kind == Kind::store && has_clock) { // it ends the release sequences of others
        LocationClock& location = locations[key];
        location.block = location.device = nullptr;
        if (const auto& own = location.release; own.block == warp.block && own.warp == warp.warp && own.lane == lane)
            (own.whole_device ? in_device : in_block).join(own.clock);
    }
    ClockRef released;
    if (releases(access.semantics)) {
        released = warp.released(1u << lane);
        (access.scope == Scope::cta ? in_block : in_device).join(released);
    } else {
        in_block.join(warp.fence_clock_block[lane]);
        if (access.scope != Scope::cta)
            in_device.join(warp.fence_clock[lane]);
    }
    if (device_fences_ && access.scope != Scope::cta)
        in_device.join(fenced_by_others(warp, lane));
    if (in_block.empty() && in_device.empty())
        return has_clock;
    LocationClock& location = locations[key];
    if (!in_block.empty()) {
        if (location.owner == warp.block)
            in_block.join(location.block);
        location.block = in_block.take();
        location.owner = warp.block;
        location.narrow_fence = !releases(access.semantics) && access.scope != Scope::cta;
        location.narrow_pc = location.narrow_fence ? warp.block_fence_pc : access.pc;
    }
    if (!in_device.empty()) {
        location.released_by =
            !location.device || location.released_by == warp.block ? warp.block : LocationClock::several_blocks;
        in_device.join(still_needed(location.device));
        location.device = in_device.take();
    }
    if (released)
        location.release = {warp.block, warp.warp, lane, access.scope != Scope::cta, std::move(released)};
    return true;
}

void Atomics::forget() {
    device_fences_ = relaxed_reads_ = false;
    global.clear();
}

} // namespace sim::hazards
