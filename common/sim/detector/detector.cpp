#include "sim/detector/detector.h"

#include <bit>

#include "sim/detector/barrier_memory.h"
#include "sim/diagnosis/standstill.h"

namespace sim::hazards {
namespace {

/// Numbers run out after 67 million blocks: then everything so far becomes "old".
void forget_everything(memory::GlobalMemory& memory) {
    for (const auto& [address, allocation] : memory)
        if (auto* global = static_cast<GlobalShadow*>(allocation.shadow.get()))
            const_cast<memory::Allocation&>(allocation).shadow = std::make_unique<GlobalShadow>(
                global->pages.size() * GlobalShadow::page_bytes, Epoch(EpochKind::old) << kind_shift);
}

/// Everything that has read global memory is ordered before everything that will access it.
void retire_readers(memory::GlobalMemory& memory) {
    for (const auto& [address, allocation] : memory)
        if (auto* global = static_cast<GlobalShadow*>(allocation.shadow.get()))
            global->sets.retire_all();
}

} // namespace

void Detector::launch_begin(machine::Grid& grid, const events::Order& order, events::OperationId operation) {
    const uint64_t blocks = grid.config.grid.count() + 1;
    Operations& operations = core_.ordering.operations;
    core_.communicates = false;
    if (running_.empty()) {
        if (!operations.room_for(blocks) || operations.nearly_full()) {
            core_.numbers_ran_out = true;
            forget_everything(core_.memory);
            operations.forget_all();
        }
        if (order.fresh) {
            core_.atomics.forget();
            operations.forget_orders();
            retire_readers(core_.memory);
        }
        core_.launch_begin();
        accesses_.launch_begin();
        buffering_.launch_begin();
    }
    core_.grid = &grid;
    core_.findings.kernel = demangled(grid.entry->function->name);
    operations.begin(operation, order, blocks, "kernel " + core_.findings.kernel);
    if (talks_to_host(*grid.entry))
        operations.current_talks();
    else if (signals_host(*grid.entry))
        operations.current_signals();
    running_.emplace(&grid, Running{operations.current(), core_.findings.kernel, order.alone});
}

void Detector::launch_resume(machine::Grid& grid) {
    const Running& launch = running_.at(&grid);
    core_.grid = &grid;
    core_.ordering.operations.resume(launch.operation);
    core_.findings.kernel = launch.kernel;
}

void Detector::launch_end(machine::Grid& grid) {
    const bool alone = running_.at(&grid).alone;
    running_.erase(&grid);
    if (!running_.empty())
        return;
    buffering_.launch_end();
    core_.held.launch_end();
    core_.intent.forget();
    tensors_.launch_end();
    barriers_.launch_end();
    if (alone)
        core_.atomics.forget();
    core_.ordering.bulk.forget_old();
}

void Detector::block_begin(Block& block) {
    core_.blocks.begin(block, core_.ordering.operations.base() + block.linear, core_.nothing);
}

void Detector::block_end(Block& block) {
    exits_.block_end(block);
    barriers_that_count_too_few(BlockState::of(block));
    core_.held.block_end(BlockState::of(block).id, block.grid.blocks_per_cluster == 1);
    named_barriers_that_count_too_few(block);
    for (const auto& warp : BlockState::of(block).warps)
        core_.ticks_ran_out =
            core_.ticks_ran_out || warp->clock.tick > max_tick || warp->history.copies_issued > max_tick;
    barrier_memory::block_end(core_, block);
    core_.blocks.end(block);
}

void Detector::dependency_wait(Warp& warp, uint32_t mask) {
    core_.communicates = true; // with the launches before it
    if (!core_.ordering.operations.any_until_wait())
        return;
    ClockBuilder complete;
    complete.own(core_.ordering.operations.current().dependencies(), 1).raise(Plane::generic, 0, ~0u, ~0u, 1);
    WarpState::of(warp).clock.acquire(mask, complete.take());
}

bool Detector::launches_complete(Warp& warp, uint32_t mask) {
    const Operations& operations = core_.ordering.operations;
    bool all = true;
    if (operations.any_until_wait())
        machine::for_lanes(mask, [&](int lane) {
            const ClockRef& known = WarpState::of(warp).clock.clock(uint32_t(lane));
            all = all && known && known->chunk(operations.current().dependencies());
        });
    return all;
}

void Detector::fence(Exec& x, Semantics semantics, Scope scope, uint32_t mask) {
    WarpClock& clock = WarpState::of(x.warp).clock;
    clock.narrow_wait.mask = 0;
    core_.communicates = core_.communicates || scope >= Scope::gpu;
    buffering_.fence(x, mask);
    core_.atomics.fence(clock, semantics, scope, mask, x.pc());
}

void Detector::proxy_fence(Exec& x, uint32_t mask, bool shared, bool global) {
    WarpState& warp = WarpState::of(x.warp);
    warp.history.proxy_fence_pc = x.pc();
    warp.history.proxy_fence_sync = warp.history.synchronisations;
    warp.clock.proxy_fence(mask, shared, global);
}

void Detector::bulk_remark(uint64_t number, const std::string& remark) {
    if (BulkOp* op = core_.ordering.bulk.find(number))
        op->remark = remark;
}

void Detector::map_copy(Exec& x, Block& source, uint32_t offset, uint64_t address, Scope scope) {
    maps_.copy(x, source, offset, address);
    // One operation of the warp: after it, the whole copy is ordered before each of its lanes. (CUTLASS acquires and
    // uses the map without a __syncwarp.)
    warp_sync(x.warp, x.mask);
    fence(x, Semantics::release, scope, x.mask);
    map_release(x, x.mask, scope);
}

void Detector::misuse(Warp* warp, uint32_t mask, const machine::Op* op, const events::Misuse& misuse) {
    Place place;
    if (warp && op)
        for (const auto& fragment : warp->fragments) {
            const auto* function = fragment.frame->function;
            if (op >= function->ops.data() && op < function->ops.data() + function->ops.size()) {
                place = core_.places.at(function->first_pc + uint32_t(op - function->ops.data()), {});
                break;
            }
        }
    if (warp && mask)
        place.threads.add(warp->block.linear, warp->id * 32, mask);
    if ((std::holds_alternative<events::SwizzleOffset>(misuse) ||
         std::holds_alternative<events::MaskOfTheMoment>(misuse)) &&
        warp && !core_.first_time(pc_of(*warp), ~0u))
        return;
    if (const auto* many = std::get_if<events::ArrivalTooMany>(&misuse); many && warp)
        if (auto twice = arrived_twice(*warp, mask, *many))
            return core_.findings.report(*twice, std::move(place));
    if (const auto* stop = std::get_if<events::Stopped>(&misuse);
        warp && stop && stop->why == events::Stopped::Why::deadlock)
        return deadlock(*stop, std::move(place));
    if (const auto* stop = std::get_if<events::Stopped>(&misuse);
        stop && stop->why == events::Stopped::Why::freed_memory) {
        events::Stopped launched = *stop;
        launched.launched_at = core_.ordering.operations.current().site;
        return core_.findings.report(launched, std::move(place));
    }
    std::optional<Place> freed = warp ? tensors_.freed_before(warp->block, misuse) : std::nullopt;
    core_.findings.report(misuse, std::move(place), std::move(freed));
}

void Detector::memory_gone(Warp& warp, uint32_t mask, uint32_t pc, const events::Stopped& stopped) {
    Place place = core_.places.at(pc, {});
    place.threads.add(warp.block.linear, warp.id * 32, mask);
    core_.findings.report(stopped, std::move(place));
}

std::optional<ArrivedTwice> Detector::arrived_twice(const Warp& warp, uint32_t mask,
                                                    const events::ArrivalTooMany& many) const {
    const events::Mbarrier* barrier = core_.blocks.mbarrier(many.id);
    if (!barrier) // data has been written over it, which is reported: what had arrived before says nothing
        return std::nullopt;
    const WarpState& state = WarpState::of(warp);
    const auto ours = [&](const auto& one) {
        return one.block == state.clock.block && one.warp == state.clock.warp && (one.mask & mask);
    };
    const auto& clock = *static_cast<const MbarrierClock*>(barrier->kept.get());
    const bool before =
        std::ranges::any_of(clock.arrived, [&](const auto& one) { return ours(one) && !one.by_copies; });
    const uint32_t line = core_.places.kernel_line(pc_of(warp)); // an unrolled loop has several instructions for it
    const bool elsewhere = std::ranges::any_of(
        clock.arrivers, [&](const auto& one) { return ours(one) && core_.places.kernel_line(one.pc) != line; });
    if (!before || elsewhere)
        return std::nullopt;
    const PhaseWait& wait = state.history.phase_waits[size_t(std::countr_zero(mask))];
    return ArrivedTwice{many,
                        barrier->phase,
                        wait,
                        core_.barriers.of(wait.barrier),
                        core_.places.library_call(pc_of(warp)),
                        core_.intent.asks_parity(pc_of(warp))};
}

void Detector::barriers_that_count_too_few(const BlockState& block) {
    for (const auto& live : block.barrier_memory.live)
        if (auto count = too_many_arrive(*live.barrier, core_.ordering.operations.base()))
            core_.findings.blame({std::move(*count), core_.barriers.of(live.barrier->id)});
}

void Detector::named_barriers_that_count_too_few(Block& block) {
    const BlockBarriers& barriers = BlockState::of(block).barriers;
    for (uint32_t id = 0; id < block.barriers.size(); ++id) {
        const uint32_t count = block.barriers[id].expected;
        if (!count || count >= block.threads || !block.barriers[id].completions)
            continue;
        NamedCountTooSmall few{id, count, 0, barriers.used_at(id), {}};
        for (const auto& warp : block.warps) {
            const uint32_t lanes = barriers.users(id, warp->id);
            few.threads += uint32_t(std::popcount(lanes));
            if (lanes)
                few.users.add(block.linear, warp->id * 32, lanes);
        }
        if (few.threads > count)
            core_.findings.blame(few);
    }
}

void Detector::deadlock(const events::Stopped& stop, Place place) {
    const std::string& what = stop.what;
    core_.held.stopped();
    core_.blocks.any_of([&](const BlockState& one) {
        barriers_that_count_too_few(one);
        return false;
    });
    if (auto first = producer_waits_first(core_.context)) {
        first->what = what;
        Place here = core_.places.at(first->pc, {}), there = core_.places.at(first->consumer_pc, {});
        here.threads = first->producers;
        there.threads = first->consumers;
        return core_.findings.report(*first, std::move(here), std::move(there));
    }
    const auto at = [&](uint32_t pc, const ThreadSet& threads) {
        Place here = core_.places.at(pc, {});
        here.threads = threads;
        return here;
    };
    if (auto stuck = stuck_phase(core_.context)) {
        stuck->what = what;
        return core_.findings.report(*stuck, at(stuck->pc, stuck->waiting));
    }
    if (auto overrun = phases_overrun(core_.context)) {
        overrun->what = what;
        return core_.findings.report(*overrun, at(overrun->pc, overrun->waiting));
    }
    if (auto hopeless = hopeless_wait(core_.context)) {
        hopeless->what = what;
        std::optional<Place> there;
        if (hopeless->elsewhere_pc)
            there = at(hopeless->elsewhere_pc, hopeless->elsewhere);
        return core_.findings.report(*hopeless, at(hopeless->pc, hopeless->waiting), std::move(there));
    }
    if (auto skipped = skipped_arrival(core_.context)) {
        skipped->what = what;
        return core_.findings.report(*skipped, at(skipped->pc, skipped->waiting),
                                     at(skipped->skipped_pc, skipped->skipped));
    }
    core_.findings.report(stop, std::move(place));
}

void Detector::report(const HostMisuse& misuse, Place first, std::optional<Place> second) {
    auto finding = core_.findings.explain(misuse, first, second);
    if (!finding)
        return;
    finding->kernel = "host code";
    finding->first.action = first.action; // the program's side has said what it saw
    if (second)
        finding->others.front().action = second->action;
    if (misuse.kind == HostMisuse::Kind::failed_call_looked_at_later)
        core_.findings.soften(std::move(*finding));
    else
        core_.findings.add(std::move(finding));
}

bool Detector::written_by_kernel(memory::Allocation& allocation, uint64_t address, uint64_t bytes,
                                 events::OperationId since) {
    if (!allocation.shadow)
        return false;
    const uint64_t first_block = core_.ordering.operations.first_block_since(since);
    GlobalShadow& global = core_.shadow(allocation);
    bool all = true;
    const auto look_at = [&](const Cell& cell) {
        switch (kind_of(cell.write)) {
        case EpochKind::plain:
        case EpochKind::strong:
        case EpochKind::copy:
            all = all && block_of(cell.write) >= first_block;
            break;
        case EpochKind::async: {
            const BulkOp* op = core_.ordering.bulk.find_epoch(cell.write);
            all = all && op && op->block >= first_block;
            break;
        }
        default:
            all = false;
        }
    };
    for_cells(
        address, bytes, global.pool, GlobalCells{&global, allocation.address},
        [&](const Cell& cell, uint64_t, uint32_t) {
            look_at(cell);
            return true;
        },
        look_at);
    return all;
}

} // namespace sim::hazards
