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

const uint32_t* known_to_all(const WarpClock& warp) {
    static constexpr uint32_t nothing[32] = {};
    const Chunk* chunk = warp.one_clock() && warp.clock(0) ? warp.clock(0)->chunk(warp.block) : nullptr;
    return chunk ? chunk->at_least(Plane::generic) : nothing;
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
    // What all lanes know of ordinary accesses of their own block, by warp.
    const uint32_t* const known = known_to_all(warp);
    // Epochs (lane field zero) that every lane of this access is known to be ordered after.
    Epoch fine_write = ~Epoch{0}, fine_read = ~Epoch{0}, fine_async = ~Epoch{0};
    // Of the lane that is looked at:
    uint32_t lane = 0;
    Epoch mine = 0;
    bool undefined = false, raced = false;
    bool had_bytes = false; ///< a word that is written as a whole was not accessed as one
    Cell* first_cell = nullptr;
    // Of the element that is looked at: has it raced, and under which number was the last race reported, with which
    // instruction?
    bool element_raced = false;
    uint32_t report = 0, report_pc = 0;
    bool report_wrote = false;

    /// Is every lane ordered after this ordinary access of its own block? The commonest reason why nothing is wrong.
    bool known_before(Epoch e) const { return (e ^ me) >> block_shift == 0 && tick_of(e) <= known[warp_of(e)]; }
    bool all_ordered(Epoch e) const { return check.ordering_.ordered_for_all(warp, e); }

    /// Ordinary accesses, of lanes that know the same.
    bool simple() const { return !strong && !speculated && warp.one_clock(); }

    /// One lane of a simple access. Judges and records it if there is nothing to tell; else it changes nothing and says
    /// false.
    bool nothing_to_tell(uint32_t which) {
        choose(which);
        const uint64_t address = a.address[lane];
        const auto fine = [this](const Cell& cell) {
            return !cell.agreed && (cell.write || writes) && write_is_fine(cell) &&
                   (!writes || reads_are_fine(cell, nullptr));
        };
        const uint32_t begin = cell_at.in_quad(address);
        if (Cell& word = tables.pool.split(cell_at(address))[begin / 4];
            a.bytes == 4 && begin % 4 == 0 && !word.split) {
            if (!fine(word))
                return false;
            record(word);
            return true;
        }
        bool all = true;
        for_cells(address, a.bytes, tables.pool, cell_at, [&](Cell& cell) { all = all && fine(cell); });
        if (all) {
            for_cells(address, a.bytes, tables.pool, cell_at, [&](Cell& cell) { record(cell); });
            if (writes && a.bytes >= 4)
                unsplit(address);
        }
        return all;
    }

    void choose(uint32_t which) {
        lane = which;
        mine = me | uint64_t{lane} << lane_shift;
    }

    /// Do all lanes access words, or more, one after the other?
    bool in_a_row() const {
        bool row = a.mask == ~0u;
        for (uint32_t i = 0; i < 32; ++i)
            row &= a.address[i] == a.address[0] + uint64_t{i} * a.bytes;
        return row;
    }

    /// How many lanes, from `first` on, access the words of one quad, a part each? 0: they do not.
    uint32_t lanes_of_quad(uint32_t first, bool row) const {
        const uint32_t lanes = 16 / a.bytes, all = ((1u << lanes) - 1) << first;
        if (cell_at.in_quad(a.address[first]) || first + lanes > 32 || (a.mask & all) != all)
            return 0;
        for (uint32_t i = 1; i < lanes && !row; ++i)
            if (a.address[first + i] != a.address[first] + uint64_t{i} * a.bytes)
                return 0;
        return lanes;
    }

    /// The lanes from `first` on make a simple access to a quad. False: there may be something to tell, or to remember,
    /// of single words; nothing was changed.
    bool quad(Cell& cell, uint32_t first, Step step) {
        if (cell.split || !quad_write_is_fine(cell, first, step))
            return false;
        if (writes) {
            if (!quad_reads_are_fine(cell, first, step))
                return false;
            cell.wrote(me | uint64_t{first} << lane_shift, pc, step);
            return true;
        }
        if (cell.read == me) {
            cell.read_mask |= 1u << first;
            return cell.read_step == step;
        }
        if (cell.read == 0 || known_before(cell.read) || cell.read == fine_read) {
            cell.read_by({me, 1u << first, pc}, step);
            return true;
        }
        if (!can_remember(cell, step))
            return false;
        choose(first);
        record(cell, step);
        return true;
    }

    bool quad_write_is_fine(const Cell& cell, uint32_t first, Step step) {
        if (!cell.write)
            return writes;
        if (known_before(cell.write) || (cell.write & ~lane_field) == fine_write || cell.write == fine_async)
            return true;
        for (uint32_t i = 0; i < 4; ++i) {
            choose(first + (i >> step));
            if (!write_is_fine(cell.part(i)))
                return false;
        }
        return true;
    }

    bool quad_reads_are_fine(const Cell& cell, uint32_t first, Step step) {
        if (!cell.read || known_before(cell.read) || cell.read == fine_read)
            return true;
        for (uint32_t i = 0; i < 4; ++i) {
            choose(first + (i >> step));
            if (!reads_are_fine(cell.part(i), nullptr))
                return false;
        }
        return true;
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

    /// The commonest of quad(), in short.
    bool quick(Cell& cell, uint32_t first, Step step) {
        if (cell.split || !cell.write || !known_before(cell.write) || !(cell.read == 0 || known_before(cell.read)))
            return false;
        if (writes)
            cell.wrote(me | uint64_t{first} << lane_shift, pc, step);
        else
            cell.read_by({me, 1u << first, pc}, step);
        return true;
    }

    /// All lanes, as many at once as can be.
    void all() {
        const bool is_simple = simple(), wide = is_simple && a.bytes >= 4 && std::has_single_bit(a.bytes);
        const bool row = wide && in_a_row();
        const Step step = wide ? step_of(a.bytes) : one_lane;
        for (uint32_t rest = a.mask; rest;) {
            const auto first = uint32_t(std::countr_zero(rest));
            const uint32_t lanes = wide ? lanes_of_quad(first, row) : 0, end = first + std::max(lanes, 1u);
            rest = end < 32 ? rest & ~0u << end : 0;
            if (lanes)
                if (Cell& cell = cell_at(a.address[first]); quick(cell, first, step) || quad(cell, first, step))
                    continue;
            for (uint32_t i = first; i < end; ++i)
                if (!is_simple || !nothing_to_tell(i))
                    look_at(i);
            if (lanes && writes && !had_bytes)
                tables.pool.join(cell_at(a.address[first]), me | uint64_t{first} << lane_shift, pc, step);
        }
    }

    /// Why the cell's last write is no problem, the cheapest reasons first.
    bool write_is_fine(const Cell& cell) {
        const Epoch w = cell.write;
        if (known_before(w) || (w & ~lane_field) == fine_write || w == fine_async)
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
            if (const BulkOp* op = check.ordering_.bulk.find_epoch(w);
                warp.one_clock() && !(op && op->block == warp.block && op->warp == warp.warp && !op->by_barrier))
                fine_async = w; // what this lane has seen complete, all lanes have, but for a group of its own
        } else if (all_ordered(w)) {
            fine_write = w & ~lane_field;
        }
        return true;
    }

    /// Why the cell's reads are no problem for a write. If they are one, *bad is one of them.
    bool reads_are_fine(const Cell& cell, Reader* bad) {
        if (!cell.read || known_before(cell.read) || cell.read == fine_read)
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

    void record(Cell& cell, Step step = one_lane) {
        if (writes) {
            cell.wrote(mine, pc);
        } else if (cell.read == me) {
            cell.read_mask |= 1u << lane;
        } else if (cell.read == 0 || known_before(cell.read) || cell.read == fine_read) {
            cell.read_by({me, 1u << lane, pc}, step);
        } else {
            if (kind_of(cell.read) != EpochKind::set && all_ordered(cell.read))
                fine_read = cell.read;
            record_read(check.ordering_, warp, 1u << lane, cell, tables.sets, me, pc, step);
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
        for_quads(address, a.bytes, cell_at, [&](Cell& quad, uint64_t at, uint32_t bytes) {
            Cell* const words = tables.pool.split(quad);
            const uint32_t begin = cell_at.in_quad(at);
            for (uint32_t i = (begin + 3) / 4; 4 * i + 4 <= begin + bytes; ++i)
                if (words[i].split) {
                    tables.pool.unsplit(words[i]);
                    words[i].wrote(mine, pc);
                    had_bytes = true;
                }
        });
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
        choose(which);
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
    if (!access.broadcast())
        access.all();
}

template void AccessCheck::operator()(Exec&, const Access&, events::Reports&, WarpClock&, ShadowTables&,
                                      LocationClocks&, SharedCells) const;
template void AccessCheck::operator()(Exec&, const Access&, events::Reports&, WarpClock&, ShadowTables&,
                                      LocationClocks&, GlobalCells) const;

} // namespace sim::hazards
