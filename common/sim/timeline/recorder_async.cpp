// The recorder's view of the async layer: copies, groups, mbarriers.
#include <bit>
#include <set>

#include "sim/machine/instruction.h"
#include "sim/timeline/recorder.h"

namespace sim::timeline {

using events::Lanes;

namespace {

uint32_t highest(uint32_t mask, const Lanes& values) {
    uint32_t most = 0;
    machine::for_lanes(mask, [&](int lane) { most = std::max(most, values[size_t(lane)]); });
    return most;
}

} // namespace

// --- cp.async -------------------------------------------------------------------------------------------------------

void Recorder::copy_issue(Exec& x, const events::CopyIssue& copy) {
    uint32_t issued = none;
    if (ours(x)) {
        WarpLog& mine = log(x.warp);
        if (mine.group == none) {
            mine.group = uint32_t(current_.copies.size());
            current_.copies.push_back({"cp.async group", mine.groups++, x.warp.id, place(x.warp), 0});
        }
        uint32_t bytes = 0;
        std::set<uint64_t> lines;
        machine::for_lanes(copy.mask, [&](int lane) {
            bytes += copy.source_bytes[lane];
            lines.insert(copy.source[lane] / 128);
        });
        if (const uint32_t event = add(Event::Kind::copy, x.warp, copy.mask, bytes, mine.group); event != none) {
            current_.copies[mine.group].bytes += bytes;
            current_.events[event].lines = uint32_t(lines.size());
            mine.copies.push_back({copy.index, event});
            issued = event;
        }
    }
    if (in_launch(x.warp)) {
        machine::for_lanes(copy.mask, [&](int lane) { reuse_.piece(copy.source[lane], copy.source_bytes[lane]); });
        reuse_.loaded(issued);
    }
}

void Recorder::copy_commit(Warp& warp, uint32_t, uint32_t) {
    if (ours(warp)) {
        WarpLog& mine = log(warp);
        mine.groups += mine.group == none; // an empty group counts
        mine.group = none;
    }
}

void Recorder::copy_wait(Exec& x, uint32_t mask, const Lanes& done, uint32_t n, uint32_t) {
    if (ours(x)) {
        WarpLog& mine = log(x.warp);
        Join awaited{"wait_group " + std::to_string(n)};
        const uint32_t upto = highest(mask, done);
        for (; !mine.copies.empty() && mine.copies.front().index <= upto; mine.copies.pop_front())
            awaited.events.push_back(mine.copies.front().event);
        current_.joins.push_back(std::move(awaited));
        add(Event::Kind::wait, x.warp, mask, 0, uint32_t(current_.joins.size() - 1));
    }
}

// --- mbarriers ------------------------------------------------------------------------------------------------------

void Recorder::mbarrier_init(Exec&, int, Mbarrier& barrier) {
    if (barrier.owner != block_)
        return;
    const machine::DecodedFunction& kernel = *block_->grid.entry;
    const std::string name = kernel.module->barrier_name(*kernel.function, barrier.offset);
    mbarriers_[barrier.id] = name.starts_with("at ") ? "mbarrier " + name : name;
}

void Recorder::mbarrier_use(Exec& x, uint32_t, const Mbarrier& barrier) {
    if (ours(x)) {
        WarpLog& mine = log(x.warp);
        if (x.op().does(machine::effect::waits_for_phase)) {
            mine.polls_at = mine.polls_at.value_or(mine.now);
            mine.polls_on = barrier.id;
        }
    }
}

void Recorder::mbarrier_arrive(Warp& warp, uint32_t mask, Mbarrier& barrier, bool) {
    if (ours(warp))
        if (const uint32_t event = add(Event::Kind::arrive, warp, mask); event != none)
            current_.joins[join('m', barrier.id, barrier.phase)].events.push_back(event);
}

void Recorder::mbarrier_tracks(Warp& warp, uint32_t mask, const Mbarrier&, uint32_t upto) {
    if (ours(warp)) {
        WarpLog& mine = log(warp);
        if (const uint32_t event = add(Event::Kind::arrive, warp, mask); event != none)
            mine.tracked.push_back({upto, event});
        mine.group = none;
    }
}

void Recorder::mbarrier_copies(Warp& warp, uint32_t, Mbarrier& barrier, uint32_t upto) {
    if (ours(warp)) {
        WarpLog& mine = log(warp);
        auto& events = current_.joins[join('m', barrier.id, barrier.phase)].events;
        for (; !mine.tracked.empty() && mine.tracked.front().index <= upto; mine.tracked.pop_front())
            events.push_back(mine.tracked.front().event);
        for (; !mine.copies.empty() && mine.copies.front().index <= upto; mine.copies.pop_front())
            events.push_back(mine.copies.front().event);
    }
}

void Recorder::mbarrier_acquire(Warp& warp, uint32_t mask, Mbarrier& barrier, bool) {
    if (ours(warp) &&
        barrier.phase > 0) { // before its first phase is over, a barrier lets a wait for parity 1 return at once
        WarpLog& mine = log(warp);
        const Counts now = mine.now;
        mine.now = mine.polls_at.value_or(now); // polling is waiting
        add(Event::Kind::wait, warp, mask, 0, join('m', barrier.id, barrier.phase - 1));
        mine.now = mine.counted = now;
    }
}

// --- bulk copies ----------------------------------------------------------------------------------------------------

uint32_t Recorder::bulk(Exec& x, int lane, std::span<const events::BulkBytes> pieces, Event::Kind kind) {
    uint32_t bytes = 0;
    for (const auto& piece : pieces)
        bytes += piece.inside ? piece.bytes : 0;
    std::string name = x.op().does(machine::effect::by_tensor_map) ? "tensor " : "bulk ";
    name += kind == Event::Kind::copy ? "copy" : "store";
    const auto copy = uint32_t(current_.copies.size());
    const uint32_t event = add(kind, x.warp, 1u << lane, bytes, copy);
    if (event != none)
        current_.copies.push_back({name, numbers_[name]++, x.warp.id, place(x.warp), bytes});
    return event;
}

void Recorder::bulk_load(Exec& x, const events::BulkLoad& copy) {
    if (copy.from_register)
        return;
    uint32_t event = none;
    if (ours(x) && copy.destination == block_)
        event = bulk(x, copy.lane, copy.bytes, Event::Kind::copy);
    if (event != none)
        loads_[copy.number] = {event, copy.barrier->id};
    if (!copy.source && in_launch(x.warp)) {
        for (const auto& piece : copy.bytes)
            reuse_.piece(piece.address, piece.inside ? piece.bytes : 0);
        reuse_.loaded(event);
    }
}

void Recorder::bulk_store(Exec& x, const events::BulkStore& copy) {
    if (!ours(x))
        return;
    if (const uint32_t event = bulk(x, copy.lane, copy.bytes, Event::Kind::store_copy); event != none)
        log(x.warp).stores.push_back({copy.index, event});
}

void Recorder::bulk_wait(Exec& x, uint32_t mask, const Lanes& upto, bool read_only) {
    if (ours(x)) {
        WarpLog& mine = log(x.warp);
        Join awaited{read_only ? "bulk wait_group.read" : "bulk wait_group", none, read_only, {}};
        const uint32_t last = highest(mask, upto);
        for (const auto& store : mine.stores)
            if (store.index <= last)
                awaited.events.push_back(store.event);
        if (!read_only)
            std::erase_if(mine.stores, [&](const Issued& store) { return store.index <= last; });
        current_.joins.push_back(std::move(awaited));
        add(Event::Kind::wait, x.warp, mask, 0, uint32_t(current_.joins.size() - 1));
    }
}

void Recorder::bulk_landed(uint64_t number, uint32_t phase, uint64_t, int64_t) {
    if (const auto found = loads_.find(number); block_ && found != loads_.end()) {
        current_.joins[join('m', found->second.barrier, phase)].events.push_back(found->second.event);
        loads_.erase(found);
    }
}

} // namespace sim::timeline
