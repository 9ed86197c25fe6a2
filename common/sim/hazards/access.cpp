// The hot path: ordinary and strong accesses against shadow memory. Excuses come first and are cheap; what remains goes
// to conflict().
#include <algorithm>
#include <cstring>

#include "sim/hazards/detector.h"

namespace sim::hazards {

GlobalShadow& Detector::shadow(memory::Allocation& allocation) {
    if (!allocation.shadow) {
        // Only cudaMalloc leaves memory undefined; everything else starts with a value.
        const bool undefined = allocation.kind == memory::AllocationKind::device;
        const Epoch initial = undefined ? 0 : Epoch(EpochKind::old) << kind_shift;
        allocation.shadow = std::make_unique<GlobalShadow>(allocation.bytes, initial);
    }
    return *static_cast<GlobalShadow*>(allocation.shadow.get());
}

Cell* Detector::cell_for(ptx::Space space, Block* target, memory::Allocation* allocation, uint64_t address) {
    if (space == ptx::Space::shared)
        return &state(*target).shadow.cells[address / 4];
    return &shadow(*allocation).cell(address - allocation->address);
}

namespace {

/// The commonest access: lane after lane, word after word, all of the warp. Judges and records it in two passes over
/// the cells if there is nothing to tell; else it changes nothing and says false. `cells` are `per_lane` ones for each
/// lane; all_ordered(e): every lane is ordered after e.
template <class Ordered>
bool access_row(Cell* cells, uint32_t per_lane, bool writes, Epoch me, uint32_t pc, const ReadSets& sets,
                Ordered&& all_ordered) {
    const uint32_t shift = uint32_t(std::countr_zero(per_lane)), count = 32 * per_lane;
    const Epoch write = cells[0].write & ~lane_field, read = cells[0].read;
    const Epoch warp_field = thread_field & ~lane_field;
    const bool write_fine = cells[0].write && all_ordered(write);
    const bool read_fine = kind_of(read) != EpochKind::set && all_ordered(read);
    for (uint32_t i = 0; i < count; ++i) {
        const Cell& cell = cells[i];
        const uint32_t lane = i >> shift;
        if (cell.split)
            return false;
        const bool own_write = ((cell.write ^ (me | uint64_t{lane} << lane_shift)) & thread_field) == 0 &&
                               kind_of(cell.write) <= EpochKind::strong && cell.write;
        if (!own_write && !(write_fine && (cell.write & ~lane_field) == write) && !(writes && !cell.write))
            return false;
        if (cell.read == 0 || (read_fine && cell.read == read))
            continue;
        const EpochKind kind = kind_of(cell.read);
        const bool own_read =
            kind <= EpochKind::strong && ((cell.read ^ me) & warp_field) == 0 && (cell.read_mask & ~(1u << lane)) == 0;
        if (!own_read && !(kind == EpochKind::set && sets.retired(cell.read)))
            return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        Cell& cell = cells[i];
        const uint32_t lane = i >> shift;
        if (writes) {
            cell.write = me | uint64_t{lane} << lane_shift;
            cell.write_pc = pc;
            cell.read = 0;
        } else if (cell.read != me || !(cell.read_mask >> lane & 1)) {
            cell.read = me;
            cell.read_mask = 1u << lane;
            cell.read_pc = pc;
        }
    }
    return true;
}

} // namespace

template <class CellAt>
uint32_t Detector::access_lanes(Exec& x, const Op& op, const Access& a, std::array<uint32_t, 32>& reports,
                                ShadowTables& tables, CellAt&& cell_at) {
    WarpState& ws = state(x.warp);
    const bool strong = a.semantics != Semantics::weak || a.kind == Access::Kind::atomic;
    const bool reads = a.kind != Access::Kind::store, writes = a.kind != Access::Kind::load;
    const Epoch me = make_epoch(strong ? EpochKind::strong : EpochKind::plain, ws.block, ws.warp, 0, ws.tick);
    const uint32_t pc = x.pc();
    // Epochs (lane field zero) that every lane of this access is known to be ordered after.
    Epoch fine_write = ~Epoch{0}, fine_read = ~Epoch{0}, fine_async = ~Epoch{0};
    uint32_t pending = 0;
    auto all_ordered = [&](Epoch e) { // for every lane of the warp at once
        const EpochKind kind = kind_of(e);
        if (kind == EpochKind::old)
            return true;
        if (kind == EpochKind::async || kind == EpochKind::set || kind == EpochKind::none)
            return false;
        if (block_of(e) < launch_.base)
            return operation_ordered(block_of(e));
        if (kind == EpochKind::host || !ws.one_clock)
            return false;
        const Chunk* chunk = ws.common->chunk(block_of(e));
        const Plane plane = kind == EpochKind::copy ? Plane::copies : Plane::generic;
        return chunk && chunk->is_uniform(plane, warp_of(e)) && chunk->at(plane, warp_of(e), 0) >= tick_of(e);
    };

    const bool speculated = a.kind == Access::Kind::load && x.function->speculated[x.fragment().pc];
    if (a.mask == ~0u && ws.one_clock && !strong && !speculated && a.bytes >= 4) {
        bool in_a_row = true;
        for (uint32_t lane = 0; lane < 32; ++lane)
            in_a_row &= a.address[lane] == a.address[0] + uint64_t{lane} * a.bytes;
        if (in_a_row) {
            Cell* cells = &cell_at(a.address[0]);
            const uint32_t per_lane = a.bytes / 4, last = 32 * per_lane - 1;
            if (&cell_at(a.address[0] + 4 * last) == cells + last && // one page
                access_row(cells, per_lane, writes, me, pc, tables.sets, all_ordered))
                return 0;
        }
    }

    // One word for all lanes: one visit, if there is nothing to tell.
    if (a.kind == Access::Kind::load && !strong && ws.one_clock && (a.mask & (a.mask - 1)) && !speculated) {
        const uint64_t address = a.address[std::countr_zero(a.mask)];
        bool same = true;
        for (uint32_t lane = 0; lane < 32; ++lane)
            same &= a.address[lane] == address || !(a.mask >> lane & 1);
        bool fine = same;
        if (same)
            for_cells(address, a.bytes, tables.pool, cell_at,
                      [&](Cell& cell) { fine = fine && cell.write && all_ordered(cell.write); });
        if (fine) {
            for_cells(address, a.bytes, tables.pool, cell_at, [&](Cell& cell) {
                if (cell.read == me)
                    cell.read_mask |= a.mask;
                else
                    record_read(ws, a.mask, cell, tables.sets, me, pc);
            });
            return 0;
        }
    }

    for (uint32_t rest = a.mask; rest; rest &= rest - 1) {
        const auto lane = uint32_t(std::countr_zero(rest));
        const Epoch mine = me | uint64_t{lane} << lane_shift;
        bool undefined = reads, raced = false;
        Cell* first_cell = nullptr;
        auto visit = [&](Cell& cell) {
            if (!first_cell)
                first_cell = &cell;
            const Epoch w = cell.write;
            if ((w & ~lane_field) != fine_write && w != fine_async) {
                if (w == 0) {
                    // never written: judged for the access as a whole, below
                } else if (((w ^ mine) & thread_field) == 0 && kind_of(w) <= EpochKind::strong) {
                    undefined = false;
                } else {
                    undefined = false;
                    const bool both_strong = strong && kind_of(w) == EpochKind::strong;
                    if (!both_strong && !ordered(ws, lane, w)) {
                        const Role role = a.kind == Access::Kind::load    ? Role::load
                                          : a.kind == Access::Kind::store ? Role::store
                                                                          : Role::atomic;
                        bool same_value = false;
                        if (role == Role::store && a.stored) { // lanes of one instruction that store the same value
                            const bool same_instruction = cell.write_pc == pc && block_of(w) == ws.block &&
                                                          warp_of(w) == ws.warp && tick_of(w) == ws.tick;
                            const std::byte* other = same_instruction && (a.mask >> lane_of(w) & 1) &&
                                                             a.address[lane_of(w)] == a.address[lane]
                                                         ? a.stored + size_t{lane_of(w)} * a.bytes
                                                         : nullptr;
                            if (!other && !same_instruction) {
                                if (a.target)
                                    other = a.target->shared.data() + a.address[lane];
                                else if (auto* allocation = memory_.find(a.address[lane]))
                                    other = allocation->data + (a.address[lane] - allocation->address);
                            }
                            same_value = other && std::memcmp(other, a.stored + size_t{lane} * a.bytes, a.bytes) == 0;
                        }
                        if (!raced) {
                            auto finding = conflict(x, op, ws, lane, role, w, cell.write_pc, true, a.space);
                            if (finding && same_value) {
                                finding->rule = find_rule("same-value-write");
                                finding->note = true;
                                finding->message =
                                    "Nothing orders the two writes; as they store the same value, that shows "
                                    "in no result.";
                                finding->remedy.clear();
                            }
                            if (finding && role == Role::load) {
                                pending |= 1u << lane;
                                reports[lane] = hold(std::move(*finding));
                            } else {
                                emit(std::move(finding));
                            }
                            raced = true;
                        }
                    } else if (kind_of(w) == EpochKind::async) {
                        if (ws.one_clock) // a bulk copy that this lane has seen complete, all lanes have
                            fine_async = w;
                    } else if (!both_strong && all_ordered(w)) {
                        fine_write = w & ~lane_field;
                    }
                }
            } else {
                undefined = false;
            }
            if (writes) {
                if (cell.read && cell.read != fine_read) {
                    Reader bad;
                    if (!reads_ordered(ws, lane, cell, tables.sets, Proxy::generic, strong, &bad)) {
                        if (!raced)
                            emit(conflict(x, op, ws, lane, a.kind == Access::Kind::store ? Role::store : Role::atomic,
                                          bad.epoch, bad.pc, false, a.space));
                        raced = true;
                    } else if (kind_of(cell.read) != EpochKind::set && all_ordered(cell.read)) {
                        fine_read = cell.read;
                    }
                }
                cell.write = mine;
                cell.write_pc = pc;
                cell.read = 0;
            } else {
                if (cell.read == me) {
                    cell.read_mask |= 1u << lane;
                } else if (cell.read == 0 || cell.read == fine_read) {
                    cell.read = me;
                    cell.read_mask = 1u << lane;
                    cell.read_pc = pc;
                } else {
                    if (kind_of(cell.read) != EpochKind::set && all_ordered(cell.read))
                        fine_read = cell.read;
                    record_read(ws, 1u << lane, cell, tables.sets, me, pc);
                }
            }
        };
        const uint64_t address = a.address[lane];
        for_cells(address, a.bytes, tables.pool, cell_at, visit);
        if (writes && a.bytes >= 4 && first_cell)
            for (uint64_t at = address & ~uint64_t{3}; at + 4 <= address + a.bytes; at += 4)
                if (at >= address) {
                    Cell& word = cell_at(at);
                    if (word.split) { // a whole word was written: its bytes are alike again
                        const bool clock = word.has_clock;
                        tables.pool.unsplit(word);
                        word.write = mine;
                        word.write_pc = pc;
                        word.read = 0;
                        word.has_clock = clock;
                    }
                }
        if (reads && undefined && a.kind == Access::Kind::load) {
            auto finding = conflict(x, op, ws, lane, Role::load, 0, 0, true, a.space);
            if (finding) {
                pending |= 1u << lane;
                reports[lane] = hold_early(ws, lane, pc, a.space, std::move(*finding));
            }
        } else if (speculated && !raced) {
            pending |= 1u << lane;
            reports[lane] = hold_early(ws, lane, pc, a.space, std::nullopt);
        }
        if (strong && first_cell &&
            (first_cell->has_clock || ws.fenced || device_fences_ || a.semantics >= Semantics::acquire))
            strong_access(x, a, ws, int(lane), *first_cell, address);
    }
    return pending;
}

uint32_t Detector::access(Exec& x, const Op& op, const Access& a, std::array<uint32_t, 32>& reports) {
    if (a.space == ptx::Space::shared) {
        SharedShadow& shared = state(*a.target).shadow;
        if (a.kind == Access::Kind::store && (x.pc() >= stores_seen_.size() || !stores_seen_[x.pc()])) [[unlikely]]
            note_synchronous_copy(x, op, a.mask);
        if (a.target != &x.block)
            shared.sets.keep(); // a barrier of that block does not order this one's reads
        Cell* cells = shared.cells.data();
        return access_lanes(x, op, a, reports, shared, [cells](uint64_t offset) -> Cell& { return cells[offset / 4]; });
    }
    memory::Allocation* allocation = a.allocation;
    if (!allocation) { // lanes in several allocations: one at a time
        uint32_t pending = 0;
        for (uint32_t rest = a.mask; rest; rest &= rest - 1) {
            Access one = a;
            const int lane = std::countr_zero(rest);
            one.mask = 1u << lane;
            one.allocation = memory_.find(a.address[lane]);
            if (one.allocation)
                pending |= access(x, op, one, reports);
        }
        return pending;
    }
    if (allocation->kind == memory::AllocationKind::parameters || allocation->kind == memory::AllocationKind::constant)
        return 0;
    GlobalShadow& global = shadow(*allocation);
    if (global.sets.is_full())
        collect_read_sets(global);
    const uint64_t base = allocation->address;
    return access_lanes(x, op, a, reports, global,
                        [&global, base](uint64_t address) -> Cell& { return global.cell(address - base); });
}

// --- accesses that are reported at once (copies) --------------------------------------------------------------------

void Detector::check_read(Exec& x, const Op& op, WarpState& ws, uint32_t lane, Cell& cell, Role role, Proxy proxy,
                          ptx::Space space) {
    if (cell.write && !ordered(ws, lane, cell.write, proxy))
        emit(conflict(x, op, ws, lane, role, cell.write, cell.write_pc, true, space));
}

void Detector::check_write(Exec& x, const Op& op, WarpState& ws, uint32_t lane, Cell& cell, const ReadSets& sets,
                           Role role, Proxy proxy, ptx::Space space) {
    if (cell.write && !ordered(ws, lane, cell.write, proxy)) {
        emit(conflict(x, op, ws, lane, role, cell.write, cell.write_pc, true, space));
        return;
    }
    Reader bad;
    if (!reads_ordered(ws, lane, cell, sets, proxy, false, &bad))
        emit(conflict(x, op, ws, lane, role, bad.epoch, bad.pc, false, space));
}

} // namespace sim::hazards
