// Whether an access of a warp is fine, cell by cell, and what the cells remember of it.
#pragma once

#include <algorithm>
#include <bit>

#include "sim/events/access.h"
#include "sim/shadow/last_write.h"
#include "sim/shadow/readers.h"

namespace sim::hazards {

/// Reasons why a simple access of one lane is fine that cost next to nothing to find, in registers.
struct Excuses : KnownToAll {
    const ReadSets* sets;

    [[gnu::always_inline]] bool for_reads(Epoch r, uint32_t mask, uint32_t lane) const {
        return r == 0 || before(r) || ((r ^ me) >> lane_shift == 0 && mask == 1u << lane) ||
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
    const uint64_t over = ordering.operations.over();
    LastWrites last_writes{ordering, warp, strong, over};
    const Epoch me = last_writes.me;
    Epoch fine_read = ~Epoch{0}; ///< lane field zero: every lane of this access is known to be ordered after it
    Epoch settled = ~Epoch{0};   ///< beneath a strong write: another one changes nothing there
    uint32_t settled_pc = 0;
    // State of the current lane:
    uint32_t lane = 0;
    Epoch mine = 0;
    uint32_t missing = 0;        ///< bytes that nothing has written, one bit each
    uint64_t unwritten_from = 0; ///< the place of the last cell plus one, if it is such a byte

    /// A cell ends before `at`: what nothing has written of it is missing.
    void end_of_cell(uint64_t at) {
        for (uint64_t byte = unwritten_from; byte && byte <= at; ++byte)
            missing |= uint32_t{1} << (byte - 1 - a.address[lane]);
        unwritten_from = 0;
    }

    bool known_before(Epoch e) const { return last_writes.known_before(e); }
    /// Does it name a set of readers that a barrier of the whole block has ordered before all that follows?
    bool is_retired(Epoch e) const { return kind_of(e) == EpochKind::set && tables.sets.retired(e); }
    bool all_ordered(Epoch e) const { return ordering.ordered_for_all(warp, e); }

    /// No earlier launch has accessed the shared memory of this one.
    template <bool in_shared>
    Excuses excuses() {
        return {last_writes.known(warp.least_known(), in_shared ? 0 : over), &tables.sets};
    }

    static uint32_t lane_mask(uint32_t first, uint32_t count) { return ~0u >> (32 - count) << first; }
    void choose(uint32_t which) {
        lane = which;
        mine = me | uint64_t{lane} << lane_shift;
    }

    /// Does a strong access read what another thread has written by one?
    bool observes_another(const Cell& cell, uint64_t at, bool in_shared) {
        if (a.kind == events::Access::Kind::store || kind_of(cell.write) != EpochKind::strong ||
            ((cell.write ^ mine) & thread_field) == 0)
            return false;
        warp.observe(lane, {cell.write, cell.write_pc, pc, at, in_shared});
        return true;
    }

    /// Why the writes beneath the cell's last one are no problem. An ordinary one may be fine for a strong access. A
    /// strong one may be fine for an ordinary access: a thread that reads what it has just counted, like others before
    /// it. For strong writes, reads_are_fine() asks that.
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
        if (!strong && warp.one_clock() && !warp.has_details()) { // all lanes would do the same
            seen_before = before;
            seen_after = seen(cell, step);
        }
    }

    /// What record_read() does with one reader of another warp that is known not to be over.
    bool remember_two(Cell& cell, Step step) {
        const Epoch other = cell.read ^ me;
        if (other >> kind_shift || !(other >> warp_shift))
            return false;
        const uint64_t block = block_of(cell.read);
        if (warp.knows_of(block) ? warp.has_details(block) || other >> block_shift || known_before(cell.read)
                                 : !ordering.operations.own(block))
            return false;
        const Epoch before = tables.sets.with(0, turned(cell.reader(), lane));
        cell.read = tables.sets.with(before, {me, 1, pc});
        cell.read_mask = lane;
        cell.read_step = step & 3u;
        return true;
    }

    void record(Cell& cell, Step step = one_lane, uint32_t words = quad_words) {
        if (writes && strong) {
            if (cell.read == settled && cell.read_pc == settled_pc && ordering.operations.own(block_of(cell.write)))
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

    void record_for(uint32_t lanes, Cell& cell) {
        if (cell.read == me)
            cell.read_mask |= lanes;
        else
            record_read(ordering, warp, lanes, cell, tables.sets, me, pc);
    }

    /// The lanes from `which` on that load the same cells. All of them at once remember it beside other readers; or
    /// `which` alone, and it is returned, if the others may have something to report.
    uint32_t record_alike(uint32_t which, uint32_t lanes, Cell* first, Cell* end) {
        uint32_t alike = 1u << which;
        for (uint32_t next = which + 1; next < 32 && lanes >> next & 1 && a.address[next] == a.address[which]; ++next)
            alike |= 1u << next;
        // Lanes that know the same differ only in what they have written themselves.
        const auto of_others = [this](const Cell& cell) {
            return kind_of(cell.write) == EpochKind::async || (cell.write ^ me) << 3 >> 3 >> warp_shift;
        };
        if (alike & (alike - 1) && std::all_of(first, end, of_others)) {
            std::for_each(first, end, [&](Cell& cell) { record_for(alike, cell); });
            return alike;
        }
        choose(which);
        std::for_each(first, end, [this](Cell& cell) { record(cell); });
        return 1u << which;
    }

    bool had_bytes = false; ///< a word that is written as a whole was not accessed as one
    /// A word whose bytes differed has been written.
    void make_whole(Cell& word) {
        word.split = 0;
        word.wrote(mine, pc);
        had_bytes = true;
    }

    /// Words that were written as a whole have equal bytes again.
    template <class Cells>
    void unsplit(const Cells& cell_at, uint64_t address) {
        for_quads(address, a.bytes, cell_at, [&](Cell& quad, uint64_t at, uint32_t bytes) {
            Cell* const words = tables.pool.split(quad);
            const uint32_t begin = cell_at.in_quad(at);
            for (uint32_t i = (begin + 3) / 4; 4 * i + 4 <= begin + bytes; ++i)
                if (words[i].split)
                    make_whole(words[i]);
        });
    }

    /// The lanes from `first` on make a simple access to a quad. False: single words may have to be reported or
    /// remembered; nothing was changed.
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

    /// A load of bytes that nothing has written is judged for the access as a whole.
    bool quad_write_is_fine(const Cell& cell, uint32_t first, Step step) {
        return cell.write ? last_writes.quad_is_fine(cell, first, step) : writes;
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
        if (row.agreed || !(row.write ? last_writes.row_is_fine(row, first, step) : writes) ||
            !(writes ? row_reads_are_fine(row, step) : fits(row, step)))
            return false;
        if (writes)
            row.wrote(mine, pc, step);
        else
            record(row, step, row_words);
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

    /// Can a row remember that the lanes have read it? All lanes must have the same state.
    bool fits(const Cell& row, Step step) const {
        const Epoch r = row.read;
        if (r == 0 || known_before(r) || r == fine_read || is_retired(r) || (r == me && row.read_step == step))
            return true;
        return r != me && can_remember(row, step) && kind_of(r) != EpochKind::copy && !lasting(r) &&
               !warp.has_details();
    }
    /// Are there bulk copies among these readers? A copy of one lane's is known to that lane in another way.
    bool lasting(Epoch r) const {
        return kind_of(r) == EpochKind::async || (kind_of(r) == EpochKind::set && tables.sets.lasting());
    }

    /// Quads side by side, the first one in lane `first`: goes on while there is nothing to report, and returns how far
    /// it came. The common cases of quad(), in short.
    template <bool stores>
    uint32_t quick_quads(Cell* const cells, uint32_t count, uint32_t first, const Step step) {
        const Epoch by = me;
        const uint32_t by_pc = pc, lanes = 4u >> step;
        Excuses excuses = this->excuses<false>();
        Epoch known_read = fine_read;
        uint32_t i = 0;
        for (; i < count; ++i, first += lanes) {
            Cell& cell = cells[i];
            const Epoch read = cell.read;
            if (cell.split || !excuses.is_fine_like_the_last(cell.write))
                break;
            uint32_t mask = 1u << first;
            if (read && read != known_read) {
                if (!stores && read == by && cell.read_step == step) {
                    mask |= cell.read_mask;
                } else {
                    if (!excuses.before(read) && !is_retired(read))
                        break;
                    known_read = read;
                }
            }
            if constexpr (stores)
                cell.wrote(by | uint64_t{first} << lane_shift, by_pc, step);
            else
                cell.read_by({by, mask, by_pc}, step);
        }
        last_writes.learn(excuses);
        fine_read = known_read;
        return i;
    }
};

} // namespace sim::hazards
