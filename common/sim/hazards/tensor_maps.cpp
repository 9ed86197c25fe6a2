// Tensor maps in global memory: copies read them through the tensormap proxy, so that a map which the device has
// modified must have been released towards that proxy by its writer and acquired from it in the block that uses it.
#include <algorithm>

#include <fmt/format.h>

#include "sim/hazards/detector.h"

namespace sim::hazards {
namespace {

constexpr size_t acquires_kept = 512; // of one block

bool by_kernel(Epoch e) {
    const EpochKind kind = kind_of(e);
    return kind == EpochKind::plain || kind == EpochKind::strong || kind == EpochKind::copy;
}

bool covers(const ClockRef& clock, Epoch e) {
    const Chunk* chunk = clock ? clock->chunk(block_of(e)) : nullptr;
    const Plane plane = kind_of(e) == EpochKind::copy ? Plane::copies : Plane::generic;
    return chunk && chunk->at(plane, warp_of(e), lane_of(e)) >= tick_of(e);
}

} // namespace

void Detector::map_release(Exec& x, uint32_t mask, Scope scope) {
    ClockRef& into = scope == Scope::cta ? state(x.block).map_released : map_released_;
    ClockBuilder builder;
    builder.join(into);
    join_into(builder, state(x.warp), mask & state(x.warp).population);
    into = builder.take();
}

void Detector::map_copy(Exec& x, const Op& op, Block& source, uint32_t offset, uint64_t address, Scope scope) {
    WarpState& ws = state(x.warp);
    const uint32_t lanes = x.mask, first = uint32_t(std::countr_zero(lanes));
    SharedShadow& from = state(source).shadow;
    memory::Allocation* allocation = memory_.find(address);
    for (uint32_t word = 0; word < 32;
         ++word) { // each lane copies four bytes: whoever wrote them must be ordered before it
        const uint32_t lane = lanes >> word & 1 ? word : first;
        const Epoch reader = make_epoch(EpochKind::plain, ws.block, ws.warp, 0, ws.tick);
        for_cells(
            offset + 4 * word, 4, from.pool, [&](uint64_t at) -> Cell& { return from.cells[at / 4]; },
            [&](Cell& cell) {
                check_read(x, op, ws, lane, cell, Role::copy_source, Proxy::generic, ptx::Space::shared);
                record_read(ws, 1u << lane, cell, from.sets, reader, x.pc());
            });
        if (!allocation)
            continue;
        GlobalShadow& global = shadow(*allocation);
        for_cells(
            address - allocation->address + 4 * word, 4, global.pool,
            [&](uint64_t at) -> Cell& { return global.cell(at); },
            [&](Cell& cell) {
                check_write(x, op, ws, lane, cell, global.sets, Role::store, Proxy::generic, ptx::Space::global);
                cell.write = make_epoch(EpochKind::plain, ws.block, ws.warp, lane, ws.tick);
                cell.write_pc = x.pc();
                cell.read = 0;
            });
    }
    // One operation of the warp: after it, the whole copy lies before each of its lanes. (CUTLASS acquires and uses the
    // map without a __syncwarp.)
    warp_sync(x.warp, lanes);
    fence(x, Semantics::release, scope, lanes);
    map_release(x, lanes, scope);
}

void Detector::map_acquire(Exec& x, uint32_t lane, uint64_t address, Scope scope) {
    WarpState& ws = state(x.warp);
    auto& acquires = state(x.block).map_acquires;
    if (acquires.size() >= acquires_kept)
        acquires.erase(acquires.begin(), acquires.begin() + acquires_kept / 2);
    const uint32_t tick = ws.tick;
    acquires.push_back({address, ws.warp, lane, tick, scope, released(ws, 1u << lane)});
}

void Detector::map_use(Exec& x, const Op& op, uint32_t lane, uint64_t address, bool by_copy) {
    memory::Allocation* allocation = memory_.find(address);
    if (!allocation || allocation->kind == memory::AllocationKind::parameters ||
        allocation->kind == memory::AllocationKind::constant)
        return;
    WarpState& ws = state(x.warp);
    BlockState& bs = state(x.block);
    GlobalShadow& global = shadow(*allocation);
    Epoch modified = 0;
    uint32_t modified_pc = 0;
    bool by_host = false, raced = false;
    // A copy may read its map until it is complete (a store: until its group has read).
    const Epoch me = by_copy ? Epoch(EpochKind::async) << kind_shift | (first_async_ + async_ops_.size())
                             : make_epoch(EpochKind::plain, ws.block, ws.warp, 0, ws.tick);
    const uint32_t mask = by_copy ? 1 : 1u << lane;
    const char* rule = nullptr;
    std::string why;
    // An acquire that this thread is ordered after; `e` 0: any.
    auto acquired = [&](Epoch e, bool& too_narrow) {
        for (auto it = bs.map_acquires.rbegin(); it != bs.map_acquires.rend(); ++it) {
            if (it->address != address ||
                !ordered(ws, lane, make_epoch(EpochKind::plain, ws.block, it->warp, it->lane, it->tick)))
                continue;
            if (e && block_of(e) >= launch_.base && !covers(it->knows, e))
                continue;
            if (e && it->scope == Scope::cta && block_of(e) != ws.block) {
                too_narrow = true;
                continue;
            }
            return true;
        }
        return false;
    };
    auto look = [&](Cell& cell) {
        const Epoch e = cell.write;
        by_host = by_host || kind_of(e) == EpochKind::host;
        if (by_kernel(e) && !raced && e != modified) {
            modified = e;
            modified_pc = cell.write_pc;
            bool too_narrow = false;
            if (!ordered(ws, lane, e)) {
                emit(conflict(x, op, ws, lane, Role::async_read, e, cell.write_pc, true, ptx::Space::global));
                raced = true;
            } else if (!covers(map_released_, e) && !(block_of(e) == ws.block && covers(bs.map_released, e))) {
                rule = "map-without-release";
                why = "The map was modified on the device, and its writer executed no fence.proxy.tensormap::generic."
                      "release (or tensormap.cp_fenceproxy) after that.";
                raced = true;
            } else if (!acquired(e, too_narrow)) {
                rule = "map-without-acquire";
                bool elsewhere = false;
                for (const auto& [id, other] : blocks_)
                    elsewhere =
                        elsewhere || (id != bs.id && std::any_of(other->map_acquires.begin(), other->map_acquires.end(),
                                                                 [&](const auto& a) { return a.address == address; }));
                why = too_narrow
                          ? "The map was modified by another block, and the acquire has block scope (.cta): .gpu is "
                            "needed."
                      : elsewhere
                          ? "The map was modified on the device. Another block has acquired it, but an acquire serves "
                            "the block that executes it: every block that uses the map needs its own."
                          : "The map was modified on the device, and no thread of this block that this thread is "
                            "ordered after has executed fence.proxy.tensormap::generic.acquire on its address since.";
                raced = true;
            }
        }
        if (cell.read == me) {
            cell.read_mask |= mask;
        } else if (cell.read == 0) {
            cell.read = me;
            cell.read_mask = mask;
            cell.read_pc = x.pc();
        } else {
            record_read(ws, mask, cell, global.sets, me, x.pc());
        }
    };
    for_cells(
        address - allocation->address, 128, global.pool, [&](uint64_t at) -> Cell& { return global.cell(at); }, look);
    bool note = false, ignored = false;
    if (!rule && !modified && by_host && !raced && !acquired(0, ignored)) {
        if (!noted_pairs_.insert(uint64_t{x.pc()} << 32).second)
            return;
        rule = "map-without-acquire";
        why = "The host wrote this map to global memory; the programming guide asks for an acquire of system scope in "
              "each "
              "block. (A __grid_constant__ parameter or a __constant__ variable needs none.)";
        note = true;
    }
    if (!rule)
        return;
    if (++held_[uint64_t{x.pc()} << 32 | modified_pc] > 256)
        return;
    Finding finding;
    finding.rule = find_rule(rule);
    finding.note = note;
    finding.first = place(x.pc(), "used a tensor map in global memory");
    finding.first.threads.add(x.block.linear, x.warp.id * 32, 1u << lane);
    if (modified)
        finding.others.push_back(place(modified, modified_pc, "modified the map"));
    finding.message = std::move(why);
    emit(std::move(finding));
}

} // namespace sim::hazards
