// Whether an access of a warp is fine, cell by cell, and what the cells remember of it: the excuses, the cheapest
// first.
#pragma once

#include <algorithm>
#include <bit>

#include "sim/events/access.h"
#include "sim/shadow/readers.h"

namespace sim::hazards {

/// Is it an ordinary access of a block whose number is less than `block`?
[[gnu::always_inline]] inline bool is_over(Epoch e, uint64_t block) {
    return e - make_epoch(EpochKind::plain, 0, 0, 0, 0) < block << block_shift;
}

/// Reasons why a simple access of one lane is fine that cost next to nothing to find, in registers.
struct Excuses {
    Epoch me;
    Epoch write, async; ///< fine for all lanes
    uint32_t known;     ///< ticks that all lanes know of all warps of their own block
    const ReadSets* sets;
    uint64_t over; ///< ordinary accesses of blocks before this one are ordered before all that runs

    [[gnu::always_inline]] bool is_known(Epoch e) const {
        return ((e ^ me) >> block_shift == 0 && tick_of(e) <= known) || is_over(e, over);
    }
    [[gnu::always_inline]] bool for_write(Epoch w, Epoch mine) const {
        return (w ^ mine) >> lane_shift == 0 || is_known(w) || (w & ~lane_field) == write || w == async;
    }
    [[gnu::always_inline]] bool for_reads(Epoch r, uint32_t mask, uint32_t lane) const {
        return r == 0 || is_known(r) || ((r ^ me) >> lane_shift == 0 && mask == 1u << lane) ||
               (kind_of(r) == EpochKind::set && sets->retired(r));
    }
};

struct Judgement {
    const Ordering& ordering;
    const events::Access& a;
    WarpClock& warp;
    ShadowTables& tables;
    const uint32_t pc;
    const bool observes; ///< an atomic operation whose old value is used

    const bool strong = a.semantics != events::Semantics::weak || a.kind == events::Access::Kind::atomic;
    const bool writes = a.kind != events::Access::Kind::load;
    const Epoch me = make_epoch(strong ? EpochKind::strong : EpochKind::plain, warp.block, warp.warp, 0, warp.tick);
    // What all lanes know of ordinary accesses of their own block, by warp.
    const uint32_t* const known = warp.known_to_all();
    const uint64_t over = ordering.operations.over();
    // Epochs (lane field zero) that every lane of this access is known to be ordered after.
    Epoch fine_write = ~Epoch{0}, fine_read = ~Epoch{0}, fine_async = warp.landed;
    Epoch settled = ~Epoch{0}; ///< beneath a strong write: another one changes nothing there
    uint32_t settled_pc = 0;
    // Of the lane that is looked at:
    uint32_t lane = 0;
    Epoch mine = 0;

    /// Is every lane ordered after this ordinary access of its own block? The commonest reason why nothing is wrong.
    bool known_before(Epoch e) const {
        return ((e ^ me) >> block_shift == 0 && tick_of(e) <= known[warp_of(e)]) || is_over(e, over);
    }
    /// Ticks of all warps of the block that are known so.
    uint32_t known_of_block() {
        if (known_ticks == UINT32_MAX)
            known_ticks = *std::min_element(known, known + warp.warps_of_block());
        return known_ticks;
    }
    uint32_t known_ticks = UINT32_MAX; ///< not asked for yet
    /// Does it name a set of readers that a barrier of the whole block has ordered before all that follows?
    bool is_retired(Epoch e) const { return kind_of(e) == EpochKind::set && tables.sets.retired(e); }
    bool all_ordered(Epoch e) const { return ordering.ordered_for_all(warp, e); }

    /// No earlier launch has accessed the shared memory of this one.
    template <bool in_shared>
    Excuses excuses() {
        return {me, fine_write, fine_async, known_of_block(), &tables.sets, in_shared ? 0 : over};
    }

    static uint32_t lane_mask(uint32_t first, uint32_t count) { return ~0u >> (32 - count) << first; }
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
                fine_async = warp.landed = w; // what this lane has seen complete, all have, but for a group of its own
        } else if (all_ordered(w)) {
            fine_write = w & ~lane_field;
        }
        return true;
    }

    /// Why the writes beneath the cell's last one are no problem. An ordinary one may be for a strong access. A strong
    /// one may be for an ordinary access: a thread that reads what it has just counted, like others before it. For
    /// strong writes, reads_are_fine() asks that.
    bool writes_beneath_are_fine(const Cell& cell, Reader* bad) {
        return (writes && strong) || kind_of(cell.write) != EpochKind::strong || !cell.read ||
               writes_beneath_ordered(ordering, warp, lane, cell, tables.sets, strong, bad);
    }

    /// Are there no such writes beneath the last one for any lane of an ordinary access?
    bool none_beneath(const Cell& cell) const {
        return kind_of(cell.write) != EpochKind::strong || all_readers(cell, tables.sets, [this](const Reader& reader) {
                   return !reader.wrote() || all_ordered(reader.epoch);
               });
    }

    /// Why the cell's reads are no problem for a write. If they are one, *bad is one of them.
    bool reads_are_fine(const Cell& cell, Reader* bad) {
        if (!cell.read || known_before(cell.read) || cell.read == fine_read)
            return true;
        if (!reads_ordered(ordering, warp, lane, cell, tables.sets, Proxy::generic, strong, bad))
            return false;
        const auto fine_for_all = [this](Epoch e) {
            return (strong && kind_of(e) == EpochKind::strong) || all_ordered(e);
        };
        if (kind_of(cell.read) == EpochKind::set
                ? tables.sets.all_of(cell.read, [&](const Reader& readers) { return fine_for_all(readers.epoch); })
                : fine_for_all(cell.read))
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

    void record_beside_others(Cell& cell, Step step, uint32_t words) {
        const Seen before = seen(cell, step);
        if (before == seen_before) {
            Reader readers = seen_after.readers;
            if (kind_of(readers.epoch) == EpochKind::set)
                readers.mask = (readers.mask + lane) & 31;
            else
                readers.mask = std::rotl(readers.mask, int(lane));
            return cell.read_by(readers, seen_after.step);
        }
        if (remember_two(cell, step))
            return;
        if (kind_of(cell.read) != EpochKind::set && all_ordered(cell.read))
            fine_read = cell.read;
        record_read(ordering, warp, 1u << lane, cell, tables.sets, me, pc, step, words);
        if (!strong && warp.one_clock() && !warp.clock(0)->has_details()) { // all lanes would do the same
            seen_before = before;
            seen_after = seen(cell, step);
        }
    }

    /// What record_read() does with one reader of another warp that is known not to be over.
    bool remember_two(Cell& cell, Step step) {
        const Epoch other = cell.read ^ me;
        if (other >> kind_shift || !(other >> warp_shift))
            return false;
        const Chunk* chunk = warp.clock(0)->chunk(block_of(cell.read));
        if (chunk ? chunk->has_details() || other >> block_shift || known_before(cell.read)
                  : !ordering.operations.own(block_of(cell.read)))
            return false;
        const Epoch before = tables.sets.with(0, turned(cell.reader(), lane));
        cell.read = tables.sets.with(before, {me, 1, pc});
        cell.read_mask = lane;
        cell.read_step = step & 3u;
        return true;
    }

    void record(Cell& cell, Step step = one_lane, uint32_t words = quad_words) {
        if (writes && strong) {
            if (cell.read == settled && cell.read_pc == settled_pc)
                return cell.replaced(mine, pc, cell.reader());
            if (record_strong_write({ordering, warp, mine, pc, observes}, cell, tables.sets)) {
                settled = cell.read;
                settled_pc = cell.read_pc;
            }
        } else if (writes) {
            cell.wrote(mine, pc);
        } else if (cell.read == me && !cell.reader().wrote()) {
            cell.read_mask |= 1u << lane;
        } else if (cell.read == 0 || known_before(cell.read) || cell.read == fine_read) {
            cell.read_by({me, 1u << lane, pc}, step);
        } else {
            record_beside_others(cell, step, words);
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

    /// The lanes from `first` on make a simple access to a whole row. False: it must be looked at quad by quad; nothing
    /// was changed.
    bool whole_row(Cell& row, uint32_t first, Step step) {
        choose(first);
        if (row.agreed || !row_write_is_fine(row, step) || !(writes ? row_reads_are_fine(row, step) : fits(row, step)))
            return false;
        if (writes)
            row.wrote(mine, pc, step);
        else
            record(row, step, row_words);
        return true;
    }

    bool row_write_is_fine(const Cell& row, Step step) {
        const Epoch w = row.write;
        if (w == 0)
            return writes;
        if (known_before(w) || (w & ~lane_field) == fine_write || w == fine_async)
            return true;
        if ((w ^ mine) >> lane_shift == 0 && row.write_step == step)
            return true; // each lane's own
        if (kind_of(w) == EpochKind::async)
            return write_is_fine(row) && w == fine_async;
        if (!all_ordered(w))
            return false;
        fine_write = w & ~lane_field;
        return true;
    }

    bool row_reads_are_fine(const Cell& row, Step step) {
        const Epoch r = row.read;
        if (r == 0 || known_before(r) || r == fine_read || is_retired(r))
            return true;
        if ((r ^ me) >> lane_shift == 0 && row.read_mask == 1u << lane && row.read_step == step)
            return true; // each lane's own
        return !lasting(r) &&
               reads_ordered(ordering, warp, lane, row, tables.sets, Proxy::generic, strong, nullptr, row_words);
    }

    /// Can a row remember that the lanes have read it? What is known of the others must be the same for all lanes.
    bool fits(const Cell& row, Step step) const {
        const Epoch r = row.read;
        if (r == 0 || known_before(r) || r == fine_read || is_retired(r) || (r == me && row.read_step == step))
            return true;
        return r != me && can_remember(row, step) && kind_of(r) != EpochKind::copy && !lasting(r) &&
               !warp.clock(0)->has_details();
    }
    /// Are there bulk copies among these readers? A copy of one lane's is known to that lane in another way.
    bool lasting(Epoch r) const {
        return kind_of(r) == EpochKind::async || (kind_of(r) == EpochKind::set && tables.sets.lasting());
    }

    /// Of quads side by side, the first one in lane `first`: goes on as long as there is nothing to tell, and says how
    /// far it came. All of quad() that is common, in short.
    template <bool stores>
    uint32_t quick_quads(Cell* const cells, uint32_t count, uint32_t first, const Step step) {
        const Epoch by = me, known_async = fine_async;
        const uint32_t by_pc = pc, lanes = 4u >> step;
        const Excuses excuses = this->excuses<false>();
        Epoch known_write = fine_write, known_read = fine_read;
        uint32_t i = 0;
        for (; i < count; ++i, first += lanes) {
            Cell& cell = cells[i];
            const Epoch write = cell.write, read = cell.read;
            if (cell.split)
                break;
            if (write != known_async && (write & ~lane_field) != known_write) {
                if (!write || !excuses.is_known(write))
                    break;
                known_write = write & ~lane_field;
            }
            uint32_t mask = 1u << first;
            if (read && read != known_read) {
                if (!stores && read == by && cell.read_step == step) {
                    mask |= cell.read_mask;
                } else {
                    if (!excuses.is_known(read) && !is_retired(read))
                        break;
                    known_read = read;
                }
            }
            if constexpr (stores)
                cell.wrote(by | uint64_t{first} << lane_shift, by_pc, step);
            else
                cell.read_by({by, mask, by_pc}, step);
        }
        fine_write = known_write;
        fine_read = known_read;
        return i;
    }
};

} // namespace sim::hazards
