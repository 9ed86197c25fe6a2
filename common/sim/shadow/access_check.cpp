#include "sim/shadow/access_check.h"

#include <bit>
#include <cstring>

#include "sim/machine/exec.h"
#include "sim/shadow/readers.h"

namespace sim::hazards {

using events::Access;
using machine::Exec;

namespace {

Role role_of(Access::Kind kind) {
    return kind == Access::Kind::load ? Role::load : kind == Access::Kind::store ? Role::store : Role::atomic;
}

/// An atomic operation to which the old value is nothing: it may well be the one that initialises the memory.
bool exchanges(const machine::Op& op) {
    return op.source && op.source->opcode.find(".exch") != std::string::npos;
}

/// The commonest access: lane after lane, word after word, all of the warp. Judges and records it in two passes over
/// the cells if there is nothing to tell; else it changes nothing and says false. `cells` are `per_lane` ones for each
/// lane; all_ordered(e): every lane is ordered after e.
template <class AllOrdered>
bool access_row(Cell* cells, uint32_t per_lane, bool writes, Epoch me, uint32_t pc, const ReadSets& sets,
                AllOrdered&& all_ordered) {
    const uint32_t shift = uint32_t(std::countr_zero(per_lane)), count = 32 * per_lane;
    const Epoch write = cells[0].write & ~lane_field, read = cells[0].read;
    const Epoch warp_field = thread_field & ~lane_field;
    const bool write_fine = cells[0].write && all_ordered(write);
    const bool read_fine = kind_of(read) != EpochKind::set && all_ordered(read);
    for (uint32_t i = 0; i < count; ++i) {
        const Cell& cell = cells[i];
        const uint32_t lane = i >> shift;
        if (cell.split || cell.agreed)
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

/// One access of a warp on its way: lane by lane, cell by cell.
template <class Cells>
struct AccessCheck::OfWarp {
    const AccessCheck& check;
    Exec& x;
    const Access& a;
    events::Reports& reports;
    WarpClock& warp;
    ShadowTables& tables;
    LocationClocks& locations;
    Cells cell_at;

    const bool strong = a.semantics != Semantics::weak || a.kind == Access::Kind::atomic;
    const bool writes = a.kind != Access::Kind::load;
    const bool speculated = a.kind == Access::Kind::load && x.function->speculated[x.fragment().pc];
    const uint32_t pc = x.pc();
    const Epoch me = make_epoch(strong ? EpochKind::strong : EpochKind::plain, warp.block, warp.warp, 0, warp.tick);
    // Epochs (lane field zero) that every lane of this access is known to be ordered after.
    Epoch fine_write = ~Epoch{0}, fine_read = ~Epoch{0}, fine_async = ~Epoch{0};
    // Of the lane that is looked at:
    uint32_t lane = 0;
    Epoch mine = 0;
    bool undefined = false, raced = false;
    Cell* first_cell = nullptr;
    // Of the element that is looked at: has it raced, and under which number was the last race reported, with which
    // instruction?
    bool element_raced = false;
    uint32_t report = 0, report_pc = 0;
    bool report_wrote = false;

    bool all_ordered(Epoch e) const { return check.ordering_.ordered_for_all(warp, e); }

    /// All lanes, one word after the other. False: nothing was done.
    bool in_a_row() {
        if (a.mask != ~0u || !warp.one_clock() || strong || speculated || a.bytes < 4 || !std::has_single_bit(a.bytes))
            return false;
        bool row = true;
        for (uint32_t i = 0; i < 32; ++i)
            row &= a.address[i] == a.address[0] + uint64_t{i} * a.bytes;
        if (!row)
            return false;
        Cell* cells = &cell_at(a.address[0]);
        const uint32_t per_lane = a.bytes / 4, last = 32 * per_lane - 1;
        return &cell_at(a.address[0] + 4 * last) == cells + last && // one page
               access_row(cells, per_lane, writes, me, pc, tables.sets, [&](Epoch e) { return all_ordered(e); });
    }

    /// One word for all lanes: one visit, if there is nothing to tell. False: nothing was done.
    bool broadcast() {
        if (writes || strong || !warp.one_clock() || !(a.mask & (a.mask - 1)) || speculated)
            return false;
        const uint64_t address = a.address[std::countr_zero(a.mask)];
        bool fine = true;
        for (uint32_t i = 0; i < 32; ++i)
            fine &= a.address[i] == address || !(a.mask >> i & 1);
        if (fine)
            for_cells(address, a.bytes, tables.pool, cell_at,
                      [&](Cell& cell) { fine = fine && cell.write && all_ordered(cell.write); });
        if (fine)
            for_cells(address, a.bytes, tables.pool, cell_at, [&](Cell& cell) {
                if (cell.read == me)
                    cell.read_mask |= a.mask;
                else
                    record_read(check.ordering_, warp, a.mask, cell, tables.sets, me, pc);
            });
        return fine;
    }

    /// Why the cell's last write is no problem, the cheapest reasons first.
    bool write_is_fine(const Cell& cell) {
        const Epoch w = cell.write;
        if ((w & ~lane_field) == fine_write || w == fine_async)
            return true;
        if (w == 0) // judged for the access as a whole
            return true;
        if (((w ^ mine) & thread_field) == 0 && kind_of(w) <= EpochKind::strong)
            return true; // its own
        if (strong && kind_of(w) == EpochKind::strong)
            return true;
        if (!check.ordering_.ordered(warp, lane, w))
            return false;
        if (kind_of(w) == EpochKind::async) {
            if (warp.one_clock()) // a bulk copy that this lane has seen complete, all lanes have
                fine_async = w;
        } else if (all_ordered(w)) {
            fine_write = w & ~lane_field;
        }
        return true;
    }

    /// Why the cell's reads are no problem for a write. If they are one, *bad is one of them.
    bool reads_are_fine(const Cell& cell, Reader* bad) {
        if (!cell.read || cell.read == fine_read)
            return true;
        if (!reads_ordered(check.ordering_, warp, lane, cell, tables.sets, Proxy::generic, strong, bad))
            return false;
        if (kind_of(cell.read) != EpochKind::set && all_ordered(cell.read))
            fine_read = cell.read;
        return true;
    }

    /// Does this store leave what the cell's last write has stored? Or, for a load: did all who may have written it
    /// last store the same?
    bool same_value(const Cell& cell) const {
        if (a.kind == Access::Kind::load)
            return cell.agreed;
        if (a.kind != Access::Kind::store || !a.stored)
            return false;
        const Epoch w = cell.write;
        const std::byte* other = nullptr;
        if (cell.write_pc == pc && block_of(w) == warp.block && warp_of(w) == warp.warp && tick_of(w) == warp.tick &&
            lane_of(w) != lane) {
            // Another lane of this instruction.
            if ((a.mask >> lane_of(w) & 1) && a.address[lane_of(w)] == a.address[lane])
                other = a.stored + size_t{lane_of(w)} * a.bytes;
        } else if (a.target) {
            other = a.target->shared.data() + a.address[lane];
        } else if (const auto* allocation = check.memory_.find(a.address[lane])) {
            other = allocation->data + (a.address[lane] - allocation->address);
        }
        return other && std::memcmp(other, a.stored + size_t{lane} * a.bytes, a.bytes) == 0;
    }

    Spot spot(uint64_t at) const { return {a.space == ptx::Space::shared ? a.target : nullptr, at}; }

    void found(Spot spot, Epoch other, uint32_t other_pc, bool other_wrote, bool same) {
        const bool known = report && report_pc == other_pc && report_wrote == other_wrote;
        if (!element_raced && !known) {
            report = check.finder_.unordered(x, {lane, role_of(a.kind), spot, other, other_pc, other_wrote, same});
            report_pc = other_pc;
            report_wrote = other_wrote;
        }
        element_raced = raced = true;
    }

    void record(Cell& cell) {
        if (writes) {
            cell.wrote(mine, pc);
        } else if (cell.read == me) {
            cell.read_mask |= 1u << lane;
        } else if (cell.read == 0 || cell.read == fine_read) {
            cell.read = me;
            cell.read_mask = 1u << lane;
            cell.read_pc = pc;
        } else {
            if (kind_of(cell.read) != EpochKind::set && all_ordered(cell.read))
                fine_read = cell.read;
            record_read(check.ordering_, warp, 1u << lane, cell, tables.sets, me, pc);
        }
    }

    void visit(Cell& cell, uint64_t at) {
        if (!first_cell)
            first_cell = &cell;
        undefined = undefined && cell.write == 0;
        const bool fine = write_is_fine(cell), same = (!fine || cell.agreed) && same_value(cell);
        if (!fine)
            found(spot(at), cell.write, cell.write_pc, true, same);
        Reader bad;
        if (writes && !reads_are_fine(cell, &bad))
            found(spot(at), bad.epoch, bad.pc, false, false);
        const bool agreed = same && (!fine || cell.write == mine);
        record(cell);
        if (writes)
            cell.agreed = agreed;
    }

    /// Words that were written as a whole have bytes that are alike again.
    void unsplit(uint64_t address) {
        for (uint64_t at = (address + 3) & ~uint64_t{3}; at + 4 <= address + a.bytes; at += 4) {
            Cell& word = cell_at(at);
            if (!word.split)
                continue;
            const bool clock = word.has_clock;
            tables.pool.unsplit(word);
            word.wrote(mine, pc);
            word.has_clock = clock;
        }
    }

    void follow(uint32_t element, uint32_t number) {
        if (number && a.kind == Access::Kind::load)
            reports.add(element, lane, number);
    }

    void follow_all(uint32_t number) {
        for (uint32_t at = 0, element = 0; at < a.bytes; at += a.element_bytes ? a.element_bytes : a.bytes)
            follow(element++, number);
    }

    void visit_elements(uint64_t address) {
        const uint32_t each = a.element_bytes ? a.element_bytes : a.bytes;
        for (uint32_t element = 0; element * each < a.bytes; ++element) {
            element_raced = false;
            for_cells(address + element * each, each, tables.pool, cell_at,
                      [this](Cell& cell, uint64_t at) { visit(cell, at); });
            if (element_raced)
                follow(element, report);
        }
    }

    void look_at(uint32_t which) {
        lane = which;
        mine = me | uint64_t{lane} << lane_shift;
        report = 0;
        undefined = a.kind == Access::Kind::load || a.kind == Access::Kind::atomic;
        raced = false;
        first_cell = nullptr;
        const uint64_t address = a.address[lane];
        visit_elements(address);
        if (!first_cell)
            return;
        if (writes && a.bytes >= 4)
            unsplit(address);
        if (undefined && writes && !exchanges(x.op()))
            check.finder_.unordered(x, {lane, Role::atomic, spot(address), 0, 0, true, false});
        else if (undefined && !writes)
            follow_all(check.finder_.undefined_load(x, lane, spot(address)));
        else if (speculated && !raced)
            follow_all(check.finder_.speculated_load(x, lane, a.space));
        if (strong && (first_cell->has_clock || check.atomics_.matters(warp, a.semantics)))
            first_cell->has_clock =
                check.atomics_.access(warp, lane, {a.kind, a.semantics, a.scope, pc, first_cell->write_pc}, locations,
                                      address, first_cell->has_clock);
    }
};

template <class Cells>
void AccessCheck::operator()(Exec& x, const Access& a, events::Reports& reports, WarpClock& warp, ShadowTables& tables,
                             LocationClocks& locations, Cells cells) const {
    OfWarp<Cells> access{*this, x, a, reports, warp, tables, locations, cells};
    if (access.in_a_row() || access.broadcast())
        return;
    for (uint32_t rest = a.mask; rest; rest &= rest - 1)
        access.look_at(uint32_t(std::countr_zero(rest)));
}

template void AccessCheck::operator()(Exec&, const Access&, events::Reports&, WarpClock&, ShadowTables&,
                                      LocationClocks&, SharedCells) const;
template void AccessCheck::operator()(Exec&, const Access&, events::Reports&, WarpClock&, ShadowTables&,
                                      LocationClocks&, GlobalCells) const;

} // namespace sim::hazards
