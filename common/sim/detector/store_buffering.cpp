#include "sim/detector/store_buffering.h"

#include <algorithm>

#include "sim/diagnosis/outcomes.h"
#include "sim/machine/program.h"

namespace sim::hazards {

namespace {

// A kernel with more than this is no litmus test.
constexpr size_t most_threads = 8, most_events = 64;

} // namespace

void StoreBuffering::launch_begin() {
    events_.clear();
    threads_.clear();
    watching_ = true;
}

uint32_t StoreBuffering::number_of(uint64_t block, uint32_t warp, uint32_t lane) {
    for (uint32_t i = 0; i < threads_.size(); ++i)
        if (threads_[i].block == block && threads_[i].warp == warp && threads_[i].lane == lane)
            return i;
    threads_.push_back({block, warp, lane, 0});
    return static_cast<uint32_t>(threads_.size() - 1);
}

void StoreBuffering::record(Exec& x, const events::Access& access) {
    machine::for_lanes(access.mask, [&](int lane) {
        if (watching_)
            record(x, access, uint32_t(lane));
    });
}

void StoreBuffering::record(Exec& x, const events::Access& access, uint32_t lane) {
    using Kind = events::Access::Kind;
    const WarpClock& clock = WarpState::of(x.warp).clock;
    Event event;
    event.thread = number_of(clock.block, clock.warp, lane);
    if (threads_.size() > most_threads || events_.size() == most_events) {
        watching_ = false;
        return;
    }
    event.load = access.kind == Kind::load;
    event.store = !event.load;
    event.address = access.address[lane];
    event.pc = x.pc();
    event.fences = threads_[event.thread].fences;
    event.epoch = make_epoch(EpochKind::strong, clock.block, clock.warp, lane, clock.tick);
    if (event.load)
        for (uint32_t i = 0; i < events_.size(); ++i)
            if (events_[i].store && events_[i].address == event.address)
                event.saw = events_[i].thread == event.thread || core_.ordering.ordered(clock, lane, events_[i].epoch)
                                ? none
                                : i;
    events_.push_back(event);
}

void StoreBuffering::fence(Exec& x, uint32_t mask) {
    if (threads_.empty() || !watching_)
        return;
    const auto* function = core_.places.function_at(x.pc());
    const machine::Op* op = function ? &function->ops[x.pc() - function->first_pc] : nullptr;
    const std::string_view code = op && op->source ? std::string_view(op->source->opcode) : std::string_view();
    if (code.find(".sc") != code.npos || code.find("membar") != code.npos)
        count_fence(x.warp, mask);
}

void StoreBuffering::meet(Warp& warp, uint32_t mask) {
    if (!threads_.empty() && watching_)
        count_fence(warp, mask);
}

void StoreBuffering::count_fence(const Warp& warp, uint32_t mask) {
    const WarpClock& clock = WarpState::of(warp).clock;
    for (Thread& thread : threads_)
        if (thread.block == clock.block && thread.warp == clock.warp && mask >> thread.lane & 1)
            ++thread.fences;
}

/// A thread that looks at a location again, as in a loop, need not rely on what it has seen once.
bool StoreBuffering::is_only_access(uint32_t event) const {
    const Event& one = events_[event];
    return std::ranges::count_if(events_, [&](const Event& other) {
               return other.thread == one.thread && other.address == one.address;
           }) == 1;
}

void StoreBuffering::look_at(uint32_t load) {
    const Event& seen = events_[load];
    if (!seen.load || seen.saw == none || !is_only_access(load))
        return;
    const Event& other_store = events_[seen.saw];
    for (uint32_t before = 0; before < load; ++before) { // this thread's store to the location that the other one loads
        const Event& own_store = events_[before];
        if (own_store.thread != seen.thread || !own_store.store || own_store.address == seen.address)
            continue;
        for (uint32_t old = seen.saw + 1; old < before; ++old) {
            const Event& other_load = events_[old];
            if (other_load.thread != other_store.thread || !other_load.load ||
                other_load.address != own_store.address || !is_only_access(old))
                continue;
            const bool fenced = own_store.fences != seen.fences, other_fenced = other_store.fences != other_load.fences;
            if (fenced && other_fenced)
                continue;
            core_.findings.report(StoreBuffered{own_store.pc, other_load.pc, fenced || other_fenced},
                                  core_.places.of(seen.epoch, seen.pc, {}),
                                  core_.places.of(other_store.epoch, other_store.pc, {}));
            return;
        }
    }
}

void StoreBuffering::launch_end() {
    for (uint32_t i = 0; watching_ && i < events_.size(); ++i)
        look_at(i);
    events_.clear();
    threads_.clear();
}

} // namespace sim::hazards
