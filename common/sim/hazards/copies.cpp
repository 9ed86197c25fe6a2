// Asynchronous copies and mbarriers, as the async layer tells of them.
#include <algorithm>

#include <fmt/format.h>

#include "sim/hazards/detector.h"

namespace sim::hazards {
namespace {

uint32_t pc_of(const Warp& warp) {
    const auto& fragment = warp.fragments[warp.current];
    return fragment.frame->function->first_pc + fragment.pc;
}

} // namespace

void WarpState::remember(const BarrierArrival& arrival) {
    if (arrival_count) { // lanes of one instruction may arrive one by one
        BarrierArrival& last = arrivals[(arrival_count - 1) % arrivals.size()];
        if (last.pc == arrival.pc && last.barrier == arrival.barrier && last.phase == arrival.phase &&
            last.tracks == arrival.tracks && last.copies == arrival.copies && !(last.mask & arrival.mask)) {
            last.mask |= arrival.mask;
            last.tick = arrival.tick;
            return;
        }
    }
    arrivals[arrival_count++ % arrivals.size()] = arrival;
}

uint32_t WarpState::passed_before(uint32_t mask, uint32_t barrier, uint32_t phase) {
    uint32_t before = 0;
    for (const Passed& old : passed)
        if (old.barrier == barrier && old.phase == phase)
            before |= old.mask & mask;
    if (mask & ~before)
        passed[passed_count++ % passed.size()] = {mask, barrier, phase};
    return before;
}

void Detector::copy_issue(Exec& x, const Op& op, const CopyIssue& copy) {
    WarpState& ws = state(x.warp);
    ws.copies_used = true;
    SharedShadow& shared = state(x.block).shadow;
    ws.copies_issued = copy.index;
    ws.last_copy_at = x.warp.instructions + x.executed;
    const uint32_t pc = x.pc();
    uint32_t previous = 32;
    for (uint32_t rest = copy.mask; rest; rest &= rest - 1) {
        const auto lane = uint32_t(std::countr_zero(rest));
        // cooperative_groups::memcpy_async lets the lanes past the end of a warp's share repeat its last copy.
        if (previous < 32 && copy.destination[lane] == copy.destination[previous] &&
            copy.source[lane] == copy.source[previous] && copy.source_bytes[lane] == copy.source_bytes[previous])
            continue;
        previous = lane;
        const Epoch mine = make_epoch(EpochKind::copy, ws.block, ws.warp, lane, copy.index);
        const Epoch reader = make_epoch(EpochKind::copy, ws.block, ws.warp, 0, copy.index);
        for_cells(
            copy.destination[lane], copy.bytes, shared.pool,
            [&](uint64_t offset) -> Cell& { return shared.cells[offset / 4]; },
            [&](Cell& cell) {
                check_write(x, op, ws, lane, cell, shared.sets, Role::copy_destination, Proxy::generic,
                            ptx::Space::shared);
                cell.write = mine;
                cell.write_pc = pc;
                cell.read = 0;
            });
        memory::Allocation* allocation = copy.source_bytes[lane] ? memory_.find(copy.source[lane]) : nullptr;
        if (!allocation || allocation->kind == memory::AllocationKind::parameters ||
            allocation->kind == memory::AllocationKind::constant)
            continue;
        GlobalShadow& global = shadow(*allocation);
        bool undefined = true;
        for_cells(
            copy.source[lane] - allocation->address, copy.source_bytes[lane], global.pool,
            [&](uint64_t offset) -> Cell& { return global.cell(offset); },
            [&](Cell& cell) {
                undefined = undefined && cell.write == 0;
                check_read(x, op, ws, lane, cell, Role::copy_source, Proxy::generic, ptx::Space::global);
                if (cell.read == 0) {
                    cell.read = reader;
                    cell.read_mask = 1u << lane;
                    cell.read_pc = pc;
                } else if (cell.read == reader) {
                    cell.read_mask |= 1u << lane;
                } else {
                    record_read(ws, 1u << lane, cell, global.sets, reader, pc);
                }
            });
        if (undefined)
            emit(conflict(x, op, ws, lane, Role::copy_source, 0, 0, true, ptx::Space::global));
    }
}

void Detector::copy_commit(Warp& warp, uint32_t mask, uint32_t issued) {
    WarpState& ws = state(warp);
    if (ws.commits.size() > 4096) {
        ws.commits.erase(ws.commits.begin(), ws.commits.begin() + 2048);
        ws.commits_dropped += 2048;
    }
    ws.commits.push_back({issued, mask, ws.tick});
}

void Detector::copy_wait(Exec& x, uint32_t mask, const Lanes& done, uint32_t n, uint32_t issued) {
    WarpState& ws = state(x.warp);
    const uint32_t pc = x.pc(), commits = ws.commits_dropped + uint32_t(ws.commits.size());
    for (uint32_t lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1) {
            ws.copies_done[lane] = std::max(ws.copies_done[lane], done[lane]);
            ws.copy_waits[lane] = {pc, ws.bulk_issued};
            ws.last_wait[lane] = {pc, n, issued, commits};
        }
    note_no_overlap(x, x.function->ops[x.fragment().pc], ws, mask);
}

void Detector::proxy_fence(Exec& x, uint32_t mask, bool shared, bool global) {
    WarpState& ws = state(x.warp);
    auto fenced = [&](const ClockRef& mine) {
        ClockBuilder builder;
        builder.join(mine);
        for (const auto& entry : mine->entries())
            builder.own(entry.block, entry.chunk->warps()).fence(shared, global);
        return builder.take();
    };
    ws.fences_used = true;
    ws.proxy_fence_pc = x.pc();
    ws.proxy_fence_sync = ws.synchronisations;
    mask &= ws.population;
    const bool together = ws.one_clock && mask == ws.population;
    if (together)
        ws.common = fenced(ws.common);
    else
        ws.diverge();
    ClockRef last_in, last_out;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const auto lane = uint32_t(std::countr_zero(rest));
        if (!together) {
            ClockRef& mine = ws.separate[lane];
            if (!last_out || mine != last_in) {
                last_in = mine;
                last_out = fenced(mine);
            }
            mine = last_out;
        }
        if (shared) {
            ws.fenced_shared[lane] = ws.tick;
            ws.copies_fenced[lane] = ws.copies_done[lane];
        }
        if (global)
            ws.fenced_global[lane] = ws.tick;
    }
    ++ws.tick;
    if (!together)
        ws.converge();
}

void Detector::mbarrier_init(Exec& x, const Op& op, int lane, Block& owner, uint32_t offset, BarrierClock& clock) {
    WarpState& ws = state(x.warp);
    SharedShadow& shared = state(owner).shadow;
    clock.id = next_barrier_++;
    clock.block = state(owner).id;
    clock.warps = uint32_t(owner.warps.size());
    clock.init_pc = x.pc();
    clock.arriving = {};
    clock.completed.reset();
    for_cells(
        offset, 8, shared.pool, [&](uint64_t at) -> Cell& { return shared.cells[at / 4]; },
        [&](Cell& cell) {
            check_write(x, op, ws, uint32_t(lane), cell, shared.sets, Role::store, Proxy::generic, ptx::Space::shared);
            cell.write = make_epoch(EpochKind::plain, ws.block, ws.warp, uint32_t(lane), ws.tick);
            cell.write_pc = x.pc();
            cell.read = 0;
        });
}

void Detector::mbarrier_use(Exec& x, const Op&, uint32_t mask, Block& owner, uint32_t offset,
                            const BarrierClock& clock) {
    WarpState& ws = state(x.warp);
    SharedShadow& shared = state(owner).shadow;
    Cell& cell = shared.cells[offset / 4];
    if (cell.split || cell.write == 0)
        return;
    if (&owner != &x.block)
        shared.sets.keep(); // a barrier of that block does not order this one's uses
    const Epoch me = make_epoch(EpochKind::strong, ws.block, ws.warp, 0, ws.tick);
    if (cell.read == me) // mbarrier.inval must come after every use
        cell.read_mask |= mask;
    else
        record_read(ws, mask, cell, shared.sets, me, x.pc());
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const auto lane = uint32_t(std::countr_zero(rest));
        if (ordered(ws, lane, cell.write))
            continue;
        Finding finding;
        finding.rule = find_rule("barrier-init-race");
        finding.first = place(x.pc(), "used an mbarrier that another thread initialised");
        finding.first.threads.add(x.block.linear, x.warp.id * 32, 1u << lane);
        finding.others.push_back(place(cell.write, clock.init_pc, "initialised it"));
        finding.message = "mbarrier.init is an ordinary write: other threads may use the barrier only after a "
                          "synchronisation that follows it.";
        finding.remedy =
            "Put __syncthreads() (for peers of a cluster: fence.mbarrier_init and a cluster barrier) between "
            "the initialisation and the first use.";
        emit(std::move(finding));
        return;
    }
}

void Detector::mbarrier_invalidate(Exec& x, const Op& op, int lane, Block& owner, uint32_t offset) {
    WarpState& ws = state(x.warp);
    SharedShadow& shared = state(owner).shadow;
    Reader bad;
    // One lane may speak for its warp: the destructor of cuda::pipeline gathers them with match.sync.
    auto fine = [&](const Reader& users) {
        for (uint64_t other = 0; other < 32; ++other)
            if (ordered(ws, uint32_t(lane), users.epoch | other << lane_shift))
                return true;
        bad = users;
        bad.epoch |= uint64_t(std::countr_zero(users.mask)) << lane_shift;
        return false;
    };
    const Cell& object = shared.cells[offset / 4];
    const bool is_set = kind_of(object.read) == EpochKind::set;
    if (object.read &&
        !(is_set ? shared.sets.all_of(object.read, fine) : fine({object.read, object.read_mask, object.read_pc}))) {
        Finding finding;
        finding.rule = find_rule("barrier-reinitialised");
        finding.first = place(x.pc(), "invalidated an mbarrier that another thread may still be using");
        finding.first.threads.add(x.block.linear, x.warp.id * 32, 1u << uint32_t(lane));
        finding.others.push_back(place(bad.epoch, bad.pc, "used it"));
        finding.message = "Nothing orders that use before mbarrier.inval.";
        finding.remedy = "Synchronise (__syncthreads()) between the last use of the mbarrier and mbarrier.inval.";
        emit(std::move(finding));
    }
    for_cells(
        offset, 8, shared.pool, [&](uint64_t at) -> Cell& { return shared.cells[at / 4]; },
        [&](Cell& cell) {
            cell.read = 0;
            check_write(x, op, ws, uint32_t(lane), cell, shared.sets, Role::store, Proxy::generic, ptx::Space::shared);
            cell.write = make_epoch(EpochKind::plain, ws.block, ws.warp, uint32_t(lane), ws.tick);
            cell.write_pc = x.pc();
        });
}

void Detector::mbarrier_arrive(Warp& warp, uint32_t mask, BarrierClock& clock, bool release) {
    WarpState& ws = state(warp);
    const uint32_t pc = pc_of(warp);
    ws.remember({mask, clock.id, clock.phase, pc, ws.tick, ws.copies_issued, false});
    clock.remember(ws.block, ws.warp, mask, false);
    if (clock.waited < clock.phase)
        note_unwaited_phase(warp, mask, pc, clock);
    if (release)
        join_into(clock.arriving, ws, mask);
}

void Detector::mbarrier_tracks(Warp& warp, uint32_t mask, const BarrierClock& clock, uint32_t upto) {
    WarpState& ws = state(warp);
    ws.remember({mask, clock.id, clock.phase, pc_of(warp), ws.tick, upto, true});
}

void Detector::mbarrier_copies(Warp& warp, uint32_t mask, BarrierClock& clock, uint32_t upto) {
    WarpState& ws = state(warp);
    clock.remember(ws.block, ws.warp, mask, true);
    clock.arriving.own(ws.block, uint32_t(warp.block.warps.size()))
        .raise(Plane::copies, ws.warp, mask, ws.population, upto);
}

void Detector::mbarrier_complete(BarrierClock& clock, uint32_t phases) {
    clock.phase = phases;
    clock.arrived.clear();
    clock.arriving.own(clock.block, clock.warps).raise_phase(clock.id, phases);
    clock.completed = clock.arriving.snapshot();
}

std::string Detector::mbarrier_history(const Warp& warp, uint32_t mask, const BarrierClock& clock) {
    std::string text;
    ThreadSet here, copies;
    for (const auto& arrived : clock.arrived)
        (arrived.by_copies ? copies : here).add(arrived.block - launch_.base, arrived.warp * 32, arrived.mask);
    if (!here.empty())
        text += fmt::format("; arrived: {}", here.text());
    if (!copies.empty())
        text += fmt::format("; arrivals made by the copies of {}", copies.text());
    const auto& ws = *static_cast<const WarpState*>(warp.detector);
    uint32_t known = UINT32_MAX; // the last phase that they have waited for
    for (const auto& passed : ws.passed)
        if (passed.barrier == clock.id && (passed.mask & mask) && int32_t(passed.phase) > int32_t(known))
            known = passed.phase;
    if (known + 1 < clock.phase)
        text +=
            fmt::format("; these threads have waited for {}, and since then {} went by: either the parity is not the "
                        "one that belongs to their round, or the others do not wait for them",
                        known == UINT32_MAX ? "none of its phases" : fmt::format("its phase {}", known),
                        known + 2 == clock.phase ? fmt::format("phase {}", known + 1)
                                                 : fmt::format("phases {} to {}", known + 1, clock.phase - 1));
    return text;
}

void Detector::mbarrier_acquire(Warp& warp, uint32_t mask, BarrierClock& clock, bool acquires) {
    WarpState& ws = state(warp);
    clock.waited = clock.phase;
    BarrierWait wait{clock.id, clock.phase - 1, pc_of(warp)};
    const uint32_t before = ws.passed_before(mask, wait.barrier, wait.phase);
    ++ws.synchronisations;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const auto lane = size_t(std::countr_zero(rest));
        wait.again = before >> lane & 1;
        ws.waited[lane] = wait;
    }
    if (acquires)
        acquire(ws, mask, clock.completed);
}

} // namespace sim::hazards
