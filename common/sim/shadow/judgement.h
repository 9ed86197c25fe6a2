// Whether an access of a warp is fine, cell by cell, and what the cells remember of it: the excuses, the cheapest
// first.
#pragma once

#include <bit>

#include "sim/events/access.h"
#include "sim/shadow/readers.h"

namespace sim::hazards {

inline const uint32_t* known_to_all(const WarpClock& warp) {
    static constexpr uint32_t nothing[32] = {};
    const Chunk* chunk = warp.one_clock() && warp.clock(0) ? warp.clock(0)->chunk(warp.block) : nullptr;
    return chunk ? chunk->at_least(Plane::generic) : nothing;
}

struct Judgement {
    const Ordering& ordering;
    const events::Access& a;
    WarpClock& warp;
    ShadowTables& tables;
    const uint32_t pc;

    const bool strong = a.semantics != events::Semantics::weak || a.kind == events::Access::Kind::atomic;
    const bool writes = a.kind != events::Access::Kind::load;
    const Epoch me = make_epoch(strong ? EpochKind::strong : EpochKind::plain, warp.block, warp.warp, 0, warp.tick);
    // What all lanes know of ordinary accesses of their own block, by warp.
    const uint32_t* const known = known_to_all(warp);
    // Epochs (lane field zero) that every lane of this access is known to be ordered after.
    Epoch fine_write = ~Epoch{0}, fine_read = ~Epoch{0}, fine_async = ~Epoch{0};
    // Of the lane that is looked at:
    uint32_t lane = 0;
    Epoch mine = 0;

    /// Is every lane ordered after this ordinary access of its own block? The commonest reason why nothing is wrong.
    bool known_before(Epoch e) const { return (e ^ me) >> block_shift == 0 && tick_of(e) <= known[warp_of(e)]; }
    /// Does it name a set of readers that a barrier of the whole block has ordered before all that follows?
    bool is_retired(Epoch e) const { return kind_of(e) == EpochKind::set && tables.sets.retired(e); }
    bool all_ordered(Epoch e) const { return ordering.ordered_for_all(warp, e); }

    void choose(uint32_t which) {
        lane = which;
        mine = me | uint64_t{lane} << lane_shift;
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
        if (!ordering.ordered(warp, lane, w))
            return false;
        if (kind_of(w) == EpochKind::async) {
            if (const BulkOp* op = ordering.bulk.find_epoch(w);
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
        if (!reads_ordered(ordering, warp, lane, cell, tables.sets, Proxy::generic, strong, bad))
            return false;
        if (kind_of(cell.read) != EpochKind::set && all_ordered(cell.read))
            fine_read = cell.read;
        return true;
    }

    /// Reads that a cell remembers, seen from the lane that is looked at: the same for words side by side that lanes
    /// side by side have read.
    struct Seen {
        Reader readers{~Epoch{0}, 0, 0};
        Step step = one_lane, by = one_lane;
        bool operator==(const Seen&) const = default;
    };
    Seen seen(const Cell& cell, Step by) const {
        Reader readers = cell.reader();
        if (kind_of(readers.epoch) == EpochKind::set)
            readers.mask = (readers.mask - lane) & 31;
        else if (has_lane(readers.epoch))
            readers.mask = std::rotr(readers.mask, int(lane));
        return {readers, Step(cell.read_step), by};
    }
    Seen seen_before{}, seen_after{}; ///< of the last cell that remembers several readers

    void record_beside_others(Cell& cell, Step step) {
        const Seen before = seen(cell, step);
        if (before == seen_before) {
            Reader readers = seen_after.readers;
            if (kind_of(readers.epoch) == EpochKind::set)
                readers.mask = (readers.mask + lane) & 31;
            else
                readers.mask = std::rotl(readers.mask, int(lane));
            return cell.read_by(readers, seen_after.step);
        }
        if (kind_of(cell.read) != EpochKind::set && all_ordered(cell.read))
            fine_read = cell.read;
        record_read(ordering, warp, 1u << lane, cell, tables.sets, me, pc, step);
        if (!strong && warp.one_clock() && !warp.clock(0)->has_details()) { // all lanes would do the same
            seen_before = before;
            seen_after = seen(cell, step);
        }
    }

    void record(Cell& cell, Step step = one_lane) {
        if (writes) {
            cell.wrote(mine, pc);
        } else if (cell.read == me) {
            cell.read_mask |= 1u << lane;
        } else if (cell.read == 0 || known_before(cell.read) || cell.read == fine_read) {
            cell.read_by({me, 1u << lane, pc}, step);
        } else {
            record_beside_others(cell, step);
        }
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
        if (cell.read == me && cell.read_step == step) {
            cell.read_mask |= 1u << first;
            return true;
        }
        if (cell.read == 0 || known_before(cell.read) || cell.read == fine_read || is_retired(cell.read)) {
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
        if (!cell.read || known_before(cell.read) || cell.read == fine_read || is_retired(cell.read))
            return true;
        for (uint32_t i = 0; i < 4; ++i) {
            choose(first + (i >> step));
            if (!reads_are_fine(cell.part(i), nullptr))
                return false;
        }
        return true;
    }

    /// Of quads side by side, the first one in lane `first`: goes on as long as there is nothing to tell, and says how
    /// far it came. All of quad() that is common, in short.
    uint32_t quick(Cell* const cells, uint32_t count, uint32_t first, Step step) {
        const Epoch by = me;
        const uint32_t by_pc = pc, lanes = 4u >> step;
        const bool stores = writes;
        const Epoch known_async = fine_async;
        Epoch known_write = fine_write, known_read = fine_read;
        uint32_t i = 0;
        for (; i < count; ++i, first += lanes) {
            Cell& cell = cells[i];
            const Epoch write = cell.write & ~lane_field, read = cell.read;
            if (cell.split ||
                (write != known_write && cell.write != known_async && !(cell.write && known_before(write))))
                break;
            const bool again = read == by && !stores && cell.read_step == step;
            if (read && read != known_read && !again) {
                if (!known_before(read) && !is_retired(read))
                    break;
                known_read = read;
            }
            if (cell.write != known_async)
                known_write = write;
            if (stores)
                cell.wrote(by | uint64_t{first} << lane_shift, by_pc, step);
            else
                cell.read_by({by, 1u << first | (again ? cell.read_mask : 0), by_pc}, step);
        }
        fine_write = known_write;
        fine_read = known_read;
        return i;
    }
};

} // namespace sim::hazards
