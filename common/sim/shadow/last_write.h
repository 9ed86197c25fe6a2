// Why the last write of a byte is no problem for a later access. last_write_is_fine() decides that for one lane, and is
// the specification. Everything else in this file gives the same answer faster: for all lanes of a warp, for the words
// of a quad, of a row or of a span, and for a copy, whose bytes have mostly been written by the same few accesses.
#pragma once

#include "sim/ordering/ordering.h"
#include "sim/shadow/shadow.h"

namespace sim::hazards {

/// What matters of the later access.
struct Later {
    Proxy proxy = Proxy::generic;
    bool strong = false;    ///< atomic, volatile, relaxed, acquire or release
    bool reduction = false; ///< of a bulk copy
};

/// Atomic operations do not race with each other, nor do reductions.
inline bool commute(const Ordering& ordering, const Later& later, Epoch write) {
    if (later.strong && kind_of(write) == EpochKind::strong)
        return true;
    const BulkOp* writer = later.reduction ? ordering.bulk.find_epoch(write) : nullptr;
    return writer && writer->reduction;
}

/// Is the last write of a byte no problem for lane `lane` of `warp`? A byte that nothing has written has none.
inline bool last_write_is_fine(const Ordering& ordering, const WarpClock& warp, uint32_t lane, Epoch write,
                               const Later& later = {}) {
    return commute(ordering, later, write) || ordering.ordered(warp, lane, write, later.proxy);
}

/// Are the last writes of all `words` of the cell fine?
bool last_writes_are_fine(const Ordering& ordering, const WarpClock& warp, uint32_t lane, const Cell& cell,
                          uint32_t words, const Later& later = {});

/// Is it an ordinary access of a block whose number is less than `block`?
[[gnu::always_inline]] inline bool is_over(Epoch e, uint64_t block) {
    return e - make_epoch(EpochKind::plain, 0, 0, 0, 0) < block << block_shift;
}

/// What all lanes of a warp are known to be ordered after, as far as it fits into registers.
struct KnownToAll {
    Epoch me;            ///< the access itself; its lane field is zero
    uint64_t over;       ///< ordinary accesses of blocks before this one are ordered before all that runs
    uint32_t ticks;      ///< of all warps of their own block
    Epoch write, landed; ///< accesses of a warp (lane field zero), a bulk operation

    [[gnu::always_inline]] bool before(Epoch e) const {
        return ((e ^ me) >> block_shift == 0 && tick_of(e) <= ticks) || is_over(e, over);
    }
    [[gnu::always_inline]] bool is_fine(Epoch w) const {
        return before(w) || (w & ~lane_field) == write || w == landed;
    }
    /// `mine`: `me` with the lane.
    [[gnu::always_inline]] bool is_fine_for(Epoch w, Epoch mine) const {
        return (w ^ mine) >> lane_shift == 0 || is_fine(w);
    }
    /// The last write of neighbouring cells is mostly one of the same warp.
    [[gnu::always_inline]] bool is_fine_like_the_last(Epoch w) {
        if (w == landed || (w & ~lane_field) == write)
            return true;
        if (!before(w))
            return false;
        write = w & ~lane_field;
        return true;
    }
};

/// The last writes that an access of a warp through the generic proxy meets. Remembers what it finds for all lanes.
class LastWrites {
  public:
    /// `over`: what blocks before this one did is ordered before all that runs.
    LastWrites(const Ordering& ordering, WarpClock& warp, bool strong, uint64_t over)
        : me(make_epoch(strong ? EpochKind::strong : EpochKind::plain, warp.block, warp.warp, 0, warp.tick)),
          ordering_(ordering), warp_(warp), known_(warp.known_to_all()), over_(over), strong_(strong),
          write_(warp.write), landed_(warp.landed) {}

    /// Is every lane ordered after this ordinary access? The commonest reason why nothing is wrong.
    [[gnu::always_inline]] bool known_before(Epoch e) const {
        return ((e ^ me) >> block_shift == 0 && tick_of(e) <= known_[warp_of(e)]) || is_over(e, over_);
    }
    /// Is it fine for every lane, and is that known at once?
    [[gnu::always_inline]] bool at_once(Epoch w) const {
        return known_before(w) || (w & ~lane_field) == write_ || w == landed_;
    }

    bool is_fine(uint32_t lane, Epoch w) {
        return at_once(w) || w == 0 || own(lane, w) || commute(ordering_, {.strong = strong_}, w) || for_all(w) ||
               ordering_.ordered(warp_, lane, w);
    }
    /// The lanes from `first` on access the words of a quad that is not split.
    bool quad_is_fine(const Cell& quad, uint32_t first, Step step) {
        if (at_once(quad.write) || for_all(quad.write))
            return true;
        for (uint32_t word = 0; word < quad_words; ++word)
            if (!is_fine(first + (word >> step), quad.part(word).write))
                return false;
        return true;
    }
    /// The same for a row that has been written. False: look at its quads.
    bool row_is_fine(const Cell& row, uint32_t first, Step step) {
        return row_is_fine_at_once(row, first, step) || for_all(row.write);
    }
    [[gnu::always_inline]] bool row_is_fine_at_once(const Cell& row, uint32_t first, Step step) {
        return at_once(row.write) || has_landed(row.write) ||
               ((row.write ^ me ^ uint64_t{first} << lane_shift) >> lane_shift == 0 && row.write_step == step);
    }
    /// Lanes side by side access words that lanes side by side have written. False: look at each word.
    bool span_is_fine(const Span& by, const Span& now) {
        return at_once(by.epoch) || own(by, now) || for_all(by.epoch);
    }
    /// Each lane's own access?
    bool own(const Span& by, const Span& now) const {
        return (by.epoch ^ me) >> warp_shift == 0 && by.lane == now.lane;
    }

    KnownToAll known(uint32_t ticks, uint64_t over) const { return {me, over, ticks, write_, landed_}; }
    void learn(const KnownToAll& known) { write_ = warp_.write = known.write; }

    const Epoch me; ///< the access; its lane field is zero

  private:
    bool own(uint32_t lane, Epoch w) const {
        return ((w ^ me ^ uint64_t{lane} << lane_shift) & thread_field) == 0 && kind_of(w) <= EpochKind::strong;
    }
    /// Is it fine for every lane, whichever lane of its warp has written?
    bool for_all(Epoch w) {
        if (kind_of(w) == EpochKind::async)
            return has_landed(w);
        if (!ordering_.ordered_for_all(warp_, w))
            return false;
        write_ = warp_.write = w & ~lane_field;
        return true;
    }
    /// A bulk operation that all lanes know to be complete? One that a lane has issued in a group of its own is known
    /// to that lane in another way.
    bool has_landed(Epoch w) {
        if (w == landed_)
            return true;
        if (kind_of(w) != EpochKind::async || !warp_.one_clock())
            return false;
        if (warp_.has_noted(w)) {
            landed_ = warp_.landed = w;
            return true;
        }
        const BulkOp* op = ordering_.bulk.find_epoch(w);
        if (op && op->block == warp_.block && op->warp == warp_.warp && !op->by_barrier)
            return false;
        if (!ordering_.ordered(warp_, 0, w))
            return false;
        if (op && op->by_barrier)
            warp_.note(w);
        landed_ = warp_.landed = w;
        return true;
    }

    const Ordering& ordering_;
    WarpClock& warp_;
    const uint32_t* const known_; ///< by warp of the block: ticks of ordinary accesses that all lanes know of
    const uint64_t over_;
    const bool strong_;
    // Epochs that every lane is known to be ordered after: accesses of a warp (lane field zero), a bulk operation.
    Epoch write_, landed_;
};

/// The last writes that a copy meets which one lane issues. Remembers what it finds.
class LastWritesOfCopy {
  public:
    LastWritesOfCopy(const Ordering& ordering, const WarpClock& warp, uint32_t lane, const Later& later)
        : ordering_(&ordering), warp_(&warp), lane_(lane), later_(later) {}

    /// All `words` of the cell. False: look at each word.
    bool are_fine(const Cell& cell, uint32_t words) {
        const Epoch w = cell.write;
        if (!w || (w & ~lane_field) == warp_known_ || (w == write_known_ && !cell.written_by_several(words)))
            return true;
        if (has_lane(w) && Ordering::warp_ordered(*warp_, lane_, w, later_.proxy)) {
            warp_known_ = w & ~lane_field;
            return true;
        }
        if (!last_writes_are_fine(*ordering_, *warp_, lane_, cell, words, later_))
            return false;
        if (!cell.written_by_several(words))
            write_known_ = w;
        return true;
    }
    bool is_fine(Epoch w) {
        if (w == 0 || w == write_known_)
            return true;
        if (!last_write_is_fine(*ordering_, *warp_, lane_, w, later_))
            return false;
        write_known_ = w;
        return true;
    }

  private:
    const Ordering* ordering_;
    const WarpClock* warp_;
    uint32_t lane_;
    Later later_;
    Epoch write_known_ = ~Epoch{0};
    Epoch warp_known_ = ~Epoch{0}; ///< whichever lane it was (lane field zero)
};

} // namespace sim::hazards
