// Rows that warps access in parts, lanes side by side: accesses are remembered as a whole, not by word, as long as
// there are few. A tile with a halo is the common case.
#pragma once

#include <array>
#include <span>

#include "sim/shadow/read_sets.h"

namespace sim::hazards {

/// One access of a warp to words of a row.
struct Span {
    Epoch epoch; ///< lane field zero, where it has one
    uint32_t words, pc;
    uint32_t lane; ///< that accesses word 0; the lane of word w is lane + w, modulo 32

    uint32_t lane_of(uint32_t word) const { return (lane + word) & 31; }
};

/// The last writes of a row's words, and the reads since, oldest first. Each word is in one of the writes, or in none.
class Spans {
  public:
    /// A stencil of 3 x 3: three warps, each with three shifts, in two rows of a tile.
    static constexpr size_t most_writes = 6, most_reads = 20;
    std::span<Span> writes() { return {writes_.data(), write_count_}; }
    std::span<const Span> writes() const { return {writes_.data(), write_count_}; }
    std::span<Span> reads() { return {reads_.data(), read_count_}; }
    std::span<const Span> reads() const { return {reads_.data(), read_count_}; }

    void clear() {
        write_count_ = 0;
        forget_reads();
    }
    /// Is there none among the reads that this one may replace, or be one with, for lack of an access of the block up
    /// to tick `most_known`, or of the same lanes?
    bool is_new_read(const Span& by, uint32_t most_known) const {
        return read_count_ == 0 || (read_count_ < most_reads && least_tick_ > most_known &&
                                    block_ == block_of(by.epoch) && !(shifts_[warp_of(by.epoch)] >> by.lane & 1));
    }
    void add_read(const Span& by) {
        reads_[read_count_++] = by;
        note_read(by);
    }
    /// These replace whatever is remembered of their words. False: there is no room; their words have been forgotten.
    bool wrote(const Span& by) {
        forget(writes_, write_count_, by.words);
        forget_reads(by.words);
        return add(writes_, write_count_, by);
    }
    /// False: there is no room; nothing is remembered of this read.
    bool read(const Span& by) {
        note_read(by);
        return add(reads_, read_count_, by);
    }
    void drop_empty_reads() { forget_reads(0); }

  private:
    void note_read(const Span& by) {
        if (least_tick_ == UINT32_MAX)
            block_ = block_of(by.epoch);
        least_tick_ = block_ == block_of(by.epoch) ? std::min(least_tick_, tick_of(by.epoch)) : 0;
        shifts_[warp_of(by.epoch)] |= 1u << by.lane;
    }
    void forget_reads(uint32_t words = ~0u) {
        forget(reads_, read_count_, words);
        if (read_count_ || least_tick_ == UINT32_MAX)
            return;
        least_tick_ = UINT32_MAX;
        shifts_ = {};
    }
    template <size_t most>
    static void forget(std::array<Span, most>& spans, uint32_t& count, uint32_t words) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t left = spans[i].words & ~words;
            if (!left)
                continue;
            if (kept != i)
                spans[kept] = spans[i];
            spans[kept++].words = left;
        }
        count = kept;
    }
    template <size_t most>
    static bool add(std::array<Span, most>& spans, uint32_t& count, const Span& by) {
        for (uint32_t i = 0; i < count; ++i)
            if (spans[i].epoch == by.epoch && spans[i].lane == by.lane && spans[i].pc == by.pc) {
                spans[i].words |= by.words;
                return true;
            }
        if (count == most)
            return false;
        spans[count++] = by;
        return true;
    }

    uint32_t write_count_ = 0, read_count_ = 0;
    // Of the reads: their block, at most their least tick, at least those lanes of each warp that access word 0.
    uint64_t block_ = 0;
    uint32_t least_tick_ = UINT32_MAX; ///< 0: they are of several blocks; UINT32_MAX: there are none
    std::array<uint32_t, 32> shifts_{};
    std::array<Span, most_writes> writes_;
    std::array<Span, most_reads> reads_;
};

} // namespace sim::hazards
