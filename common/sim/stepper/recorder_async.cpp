// The recorder's view of the async layer: copies, groups, mbarriers.
#include <bit>
#include <utility>

#include "sim/machine/instruction.h"
#include "sim/machine/names.h"
#include "sim/machine/program.h"
#include "sim/stepper/ranges.h"
#include "sim/stepper/recorder.h"

namespace sim::stepper {

using events::Lanes;

namespace {

/// Lanes with their last complete copy, lanes that agree together.
std::vector<std::pair<uint32_t, uint32_t>> by_value(uint32_t mask, const Lanes& values) {
    std::vector<std::pair<uint32_t, uint32_t>> all;
    machine::for_lanes(mask, [&](int lane) {
        const auto same = std::ranges::find(all, values[size_t(lane)], &std::pair<uint32_t, uint32_t>::second);
        if (same == all.end())
            all.push_back({1u << lane, values[size_t(lane)]});
        else
            same->first |= 1u << lane;
    });
    return all;
}

} // namespace

// --- cp.async -------------------------------------------------------------------------------------------------------

void Recorder::copy_issue(Exec& x, const events::CopyIssue& copy) {
    if (!ours(x.warp))
        return;
    settle(&x.warp);
    current_.copies = true;
    Step* step = add_more(Kind::copy, x.warp, copy.mask, &x.block, false);
    if (!step)
        return;
    if (step->times == 1)
        step->first = copy.index;
    step->number = copy.index;
    machine::for_lanes(copy.mask, [&](int lane) {
        step->bytes += copy.bytes;
        step->ranges.push_back({uint32_t(copy.destination[lane]), uint32_t(copy.destination[lane]) + copy.bytes});
    });
    unite(step->ranges);
    note_copy(*step, copy, x.block);
    if (step->text.empty() && copy.source_bytes[std::countr_zero(copy.mask)])
        step->text = machine::global_name(x.grid, copy.source[std::countr_zero(copy.mask)]);
}

void Recorder::copy_commit(Warp& warp, uint32_t mask, uint32_t issued) {
    if (ours(warp)) {
        settle(&warp);
        if (Step* step = add(Kind::commit, warp.block, &warp, mask))
            step->number = issued;
    }
}

void Recorder::copy_wait(Exec& x, uint32_t mask, const Lanes& done, uint32_t n, uint32_t) {
    if (ours(x.warp)) {
        settle(&x.warp);
        if (Step* step = add(Kind::wait_group, x.block, &x.warp, mask)) {
            step->number = n;
            step->upto = by_value(mask, done);
        }
    }
}

// --- mbarriers ------------------------------------------------------------------------------------------------------

uint32_t Recorder::barrier(const events::Mbarrier& barrier) const {
    const auto known = barriers_.find(barrier.id);
    return known == barriers_.end() ? none : known->second;
}

uint32_t Recorder::barrier_at(const Block& block, uint32_t offset) const {
    const uint32_t owner = rank(&block);
    for (size_t i = current_.barriers.size(); i-- > 0;)
        if (current_.barriers[i].block == owner && current_.barriers[i].offset == offset)
            return uint32_t(i);
    return none;
}

void Recorder::mbarrier_init(Exec& x, int lane, events::Mbarrier& barrier) {
    constexpr size_t most_barriers = 256;
    const uint32_t owner = rank(barrier.owner);
    if (!ours(x.warp) || owner == none || current_.barriers.size() >= most_barriers)
        return;
    settle(&x.warp);
    if (Step* step = add(Kind::init, x.block, &x.warp, 1u << lane)) {
        step->what = barriers_[barrier.id] = uint32_t(current_.barriers.size());
        const auto& kernel = *barrier.owner->grid.entry;
        current_.barriers.push_back(
            {owner, barrier.offset, barrier.count, kernel.module->barrier_name(*kernel.function, barrier.offset)});
        step->barriers.push_back({step->what, barrier.count, 0, barrier.count, 0});
        states_.push_back(step->barriers.back());
    }
}

void Recorder::mbarrier_use(Exec& x, uint32_t mask, const events::Mbarrier& used) {
    const uint32_t what = barrier(used);
    if (!ours(x.warp) || what == none)
        return;
    settle(&x.warp);
    using namespace machine::effect;
    if (!x.op().does(expects | completes_tx) || x.op().does(arrives | copies | stores))
        changing_ = true; // an arrival, perhaps with bytes: its step comes when they are counted
    else if (Step* step = add(Kind::mbarrier, x.block, &x.warp, mask))
        step->what = what;
}

void Recorder::mbarrier_arrive(Warp& warp, uint32_t mask, events::Mbarrier& arrived, bool release) {
    const uint32_t what = barrier(arrived);
    if (!ours(warp) || what == none)
        return;
    settle(&warp);
    if (Step* step = add(Kind::m_arrive, warp.block, &warp, mask)) {
        step->what = what;
        step->strong = release ? 'r' : 'x';
    }
}

void Recorder::mbarrier_tracks(Warp& warp, uint32_t mask, const events::Mbarrier& tracks, uint32_t upto) {
    const uint32_t what = barrier(tracks);
    if (!ours(warp) || what == none)
        return;
    settle(&warp);
    if (Step* step = add(Kind::m_track, warp.block, &warp, mask)) {
        step->what = what;
        step->number = upto;
    }
}

void Recorder::mbarrier_copies(Warp& warp, uint32_t mask, events::Mbarrier& arrived, uint32_t upto) {
    const uint32_t what = barrier(arrived);
    if (!ours(warp) || what == none)
        return;
    settle(nullptr);
    if (Step* step = add(Kind::m_copies, warp.block, &warp, mask)) {
        step->place = none; // wherever the warp is by now
        step->what = what;
        step->number = upto;
    }
}

void Recorder::mbarrier_acquire(Warp& warp, uint32_t mask, events::Mbarrier& passed, bool acquire) {
    const uint32_t what = barrier(passed);
    if (!ours(warp) || what == none)
        return;
    settle(&warp);
    asked_.erase({rank(&warp.block), warp.id});
    if (Step* step = add(Kind::m_pass, warp.block, &warp, mask)) {
        step->what = what;
        step->number = passed.phase;
        step->strong = acquire ? 'a' : 'x';
    }
}

void Recorder::mbarrier_invalidate(Exec& x, int lane, events::Mbarrier& ended) {
    const uint32_t what = barrier(ended);
    if (!ours(x.warp) || what == none)
        return;
    settle(&x.warp);
    if (Step* step = add(Kind::m_end, x.block, &x.warp, 1u << lane))
        step->what = what;
}

// --- bulk copies ----------------------------------------------------------------------------------------------------

Step* Recorder::add_bulk(Kind kind, Exec& x, int lane, std::span<const events::BulkBytes> pieces) {
    settle(&x.warp);
    current_.copies = true;
    Step* step = add(kind, x.block, &x.warp, 1u << lane);
    if (!step)
        return nullptr;
    for (const auto& piece : pieces) {
        step->bytes += piece.bytes;
        step->ranges.push_back({piece.offset, piece.offset + piece.bytes});
    }
    unite(step->ranges);
    if (const uint32_t used = std::exchange(used_map_, none); used != none) {
        step->map = used;
        show_map(*step, used);
    }
    return step;
}

void Recorder::bulk_load(Exec& x, const events::BulkLoad& copy) {
    const uint32_t destination = rank(copy.destination);
    if (!ours(x.warp) || destination == none)
        return;
    Step* step = add_bulk(Kind::bulk_load, x, copy.lane, copy.bytes);
    if (!step)
        return;
    step->memory = destination;
    step->number = uint32_t(copy.number);
    step->first = x.op().source->opcode.starts_with("clusterlaunchcontrol") ? 2 : copy.from_register;
    step->what = barrier(*copy.barrier);
    note_load(x, *step, copy);
    for (const auto& piece : copy.bytes)
        if (piece.inside && !copy.source && !copy.from_register && step->text.empty())
            step->text = machine::global_name(x.grid, piece.address);
    flights_[copy.number] = {destination, step->what, step->ranges};
}

void Recorder::bulk_store(Exec& x, const events::BulkStore& copy) {
    if (!ours(x.warp))
        return;
    if (Step* step = add_bulk(Kind::bulk_store, x, copy.lane, copy.bytes)) {
        step->number = copy.index;
        note_store(*step, copy, x.block);
        step->text = copy.bytes.empty() ? "" : machine::global_name(x.grid, copy.bytes.front().address);
    }
}

void Recorder::bulk_commit(Warp& warp, uint32_t mask, uint32_t issued) {
    if (ours(warp)) {
        settle(&warp);
        if (Step* step = add(Kind::bulk_commit, warp.block, &warp, mask))
            step->number = issued;
    }
}

void Recorder::bulk_wait(Exec& x, uint32_t mask, const Lanes& upto, bool read_only) {
    if (ours(x.warp)) {
        settle(&x.warp);
        if (Step* step = add(Kind::bulk_wait, x.block, &x.warp, mask)) {
            step->first = read_only;
            step->upto = by_value(mask, upto);
        }
    }
}

void Recorder::bulk_landed(uint64_t number, uint32_t phase, uint64_t bytes, int64_t) {
    const auto flight = flights_.find(number);
    if (flight == flights_.end() || !blocks_[flight->second.block])
        return;
    settle(nullptr);
    if (Step* step = add(Kind::landed, *blocks_[flight->second.block], nullptr, 0)) {
        step->number = uint32_t(number);
        step->first = phase;
        step->bytes = uint32_t(bytes);
        step->what = flight->second.barrier;
        step->ranges = std::move(flight->second.ranges);
    }
    flights_.erase(flight);
}

} // namespace sim::stepper
