// Simple accesses of lanes side by side to words of shared memory, a row at a time: what mostly is fine, and found to
// be so at once.
#pragma once

#include "sim/events/access.h"
#include "sim/shadow/last_write.h"
#include "sim/shadow/loose_check.h"

namespace sim::hazards {

class SpanCheck {
  public:
    SpanCheck(const Ordering& ordering, WarpClock& warp, bool writes, uint32_t pc)
        : ordering_(ordering), warp_(warp), last_writes_(ordering, warp, false, 0), me_(last_writes_.me), pc_(pc),
          writes_(writes) {}

    /// `count` lanes from `first` on access words of one row. False: it must be looked at word by word.
    bool row(const SharedCells& cells, uint64_t address, uint32_t first, uint32_t count) {
        Cell& row = cells.first_row[cells.row(address)];
        if (count == row_words && !row.split)
            return whole_row(row, cells.shadow.sets);
        if (row.in_spans && cells.shadow.is_loose(cells.row(address)))
            return LooseCheck(warp_, cells, writes_, pc_).row(address, first, count);
        Spans* const spans = cells.shadow.spans_of(row);
        const uint32_t begin = cells.in_row(address) / 4;
        return spans && access(row, *spans, {me_, ~0u >> (32 - count) << begin, pc_, (first - begin) & 31});
    }

    /// All lanes access words side by side. Returns those that must be looked at word by word.
    uint32_t whole_warp(const SharedCells& cells, const uint64_t* addresses) {
        const uint32_t in_row = row_words - cells.in_row(addresses[0]) / 4, in_next = 32 - in_row;
        const uint32_t first = row(cells, addresses[0], 0, in_row) ? 0 : ~0u >> in_next;
        const bool fine = !in_next || row(cells, addresses[in_row], in_row, in_next);
        return first | (fine ? 0 : ~0u << in_row);
    }

  private:
    bool known_before(Epoch e) const { return last_writes_.known_before(e); }
    bool own(const Span& by, const Span& now) const { return last_writes_.own(by, now); }

    bool whole_row(Cell& row, const ReadSets& sets) {
        const Epoch r = row.read;
        if (row.agreed || !(row.write ? last_writes_.row_is_fine_at_once(row, 0, 0) : writes_))
            return false;
        const bool mine = (r ^ me_) >> lane_shift == 0 && row.read_step == 0 && row.read_mask == 1;
        if (r && !known_before(r) && !mine && !(kind_of(r) == EpochKind::set && sets.retired(r)))
            return false;
        if (writes_)
            row.wrote(me_, pc_, 0);
        else
            row.read_by({me_, 1, pc_}, 0);
        return true;
    }
    bool access(Cell& row, Spans& spans, const Span& now) {
        if (!writes_are_fine(spans, now) || (writes_ && !reads_are_fine(spans, now)))
            return false;
        if (!writes_)
            return read(spans, now);
        if (now.words != ~0u)
            return spans.wrote(now);
        row.split = row.in_spans = 0;
        row.wrote(me_, pc_, 0);
        return true;
    }
    bool writes_are_fine(const Spans& spans, const Span& now) {
        uint32_t written = 0;
        for (const Span& by : spans.writes()) {
            written |= by.words;
            if ((by.words & now.words) && !last_writes_.span_is_fine(by, now))
                return false;
        }
        return writes_ || !(now.words & ~written);
    }
    bool reads_are_fine(const Spans& spans, const Span& now) {
        for (const Span& by : spans.reads()) {
            if (!(by.words & now.words) || known_before(by.epoch) || by.epoch == fine_read_ || own(by, now))
                continue;
            if (!ordering_.ordered_for_all(warp_, by.epoch))
                return false;
            fine_read_ = by.epoch;
        }
        return true;
    }
    /// Forgets the reads that are ordered before this one, and those of the same lanes.
    bool read(Spans& spans, const Span& now) {
        if (spans.is_new_read(now, warp_.most_known())) {
            spans.add_read(now);
            return true;
        }
        bool empty = false;
        for (Span& by : spans.reads()) {
            if (!(by.words & now.words) || (by.epoch == me_ && (by.lane != now.lane || by.pc == pc_)))
                continue;
            if (known_before(by.epoch) || own(by, now) ||
                ((by.epoch ^ me_) >> block_shift && ordering_.ordered_for_all(warp_, by.epoch)))
                by.words &= ~now.words;
            empty = empty || !by.words;
        }
        if (empty)
            spans.drop_empty_reads();
        return spans.read(now);
    }

    const Ordering& ordering_;
    WarpClock& warp_;
    LastWrites last_writes_;
    const Epoch me_;
    const uint32_t pc_;
    const bool writes_;
    Epoch fine_read_ = ~Epoch{0}; ///< lane field zero: ordered before all lanes
};

/// Lanes whose next lane accesses the words behind their own.
inline uint32_t followed(const events::Access& a) {
    uint32_t result = 0;
    for (uint32_t i = 0; i < 31; ++i)
        result |= uint32_t(a.address[i + 1] == a.address[i] + a.bytes) << i;
    return result & a.mask & a.mask >> 1;
}

/// Do lanes access half words, or words of which few are side by side?
inline bool are_apart(const events::Access& a) {
    return a.bytes == 2 || (a.bytes == 4 && std::popcount(a.mask & ~(followed(a) << 1)) > 4);
}

inline bool is_ordinary(const events::Access& a) {
    return a.semantics == events::Semantics::weak && a.kind != events::Access::Kind::atomic;
}

/// Do all lanes of the warp access words side by side, by an ordinary access?
inline bool is_one_span(const events::Access& a) {
    return a.in_order && a.mask == ~0u && a.bytes == 4 && is_ordinary(a);
}

/// An ordinary access to shared memory, by lanes that know the same. Returns those that must be looked at word by word;
/// of the others, there is nothing to report.
inline uint32_t not_fine_at_once(const Ordering& ordering, WarpClock& warp, const SharedCells& cells,
                                 const events::Access& a, uint32_t pc) {
    const bool stores = a.kind == events::Access::Kind::store;
    if (is_one_span(a))
        return SpanCheck(ordering, warp, stores, pc).whole_warp(cells, a.address);
    if (warp.block != cells.shadow.block || a.bytes == 1)
        return a.mask;
    const bool apart = are_apart(a);
    if (apart)
        cells.shadow.make_loose();
    return cells.shadow.loose ? LooseCheck(warp, cells, stores, pc).lanes(a, apart) : a.mask;
}

} // namespace sim::hazards
