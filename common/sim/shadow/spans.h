// Rows of which warps access parts, lanes side by side: what has been written and read is remembered by access, not by
// word, as long as these are few. A tile with a halo is the common case.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "sim/shadow/read_sets.h"

namespace sim::hazards {

/// One access of a warp to words of a row.
struct Span {
    Epoch epoch; ///< lane field zero, where it has one
    uint32_t words, pc;
    uint32_t lane; ///< that accesses word 0; the lane of word w is lane + w, modulo 32

    uint32_t lane_of(uint32_t word) const { return (lane + word) & 31; }
};

/// A few spans of one row, oldest first. Their words are side by side, so that all are looked at together.
template <uint32_t most>
class SpanList {
  public:
    uint32_t size() const { return count_; }
    Span operator[](uint32_t i) const { return {by_[i].epoch, words_[i], by_[i].pc, by_[i].lane}; }
    void clear() {
        words_.fill(0);
        count_ = 0;
    }
    /// Which of them, by bit, have some of these words?
    uint32_t with(uint32_t words) const {
        uint32_t result = 0;
        for (uint32_t i = 0; i < most; ++i)
            result |= uint32_t((words_[i] & words) != 0) << i;
        return result;
    }
    uint32_t all_words() const {
        uint32_t result = 0;
        for (const uint32_t words : words_)
            result |= words;
        return result;
    }
    /// Of the spans that `which` names, by bit.
    void forget(uint32_t words, uint32_t which = ~0u) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < most; ++i) {
            words_[i] &= ~(which >> i & 1 ? words : 0);
            kept |= uint32_t(words_[i] != 0) << i;
        }
        if (const uint32_t all = (1u << count_) - 1; kept != all)
            drop(all & ~kept);
    }
    /// False: there is no room.
    bool add(const Span& span) {
        for (uint32_t i = 0; i < count_; ++i)
            if (by_[i].epoch == span.epoch && by_[i].lane == span.lane && by_[i].pc == span.pc) {
                words_[i] |= span.words;
                return true;
            }
        if (count_ == most)
            return false;
        words_[count_] = span.words;
        by_[count_++] = {span.epoch, span.pc, span.lane};
        return true;
    }

  private:
    void drop(uint32_t which) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < count_; ++i)
            if (!(which >> i & 1)) {
                words_[kept] = words_[i];
                by_[kept++] = by_[i];
            }
        std::fill(words_.begin() + kept, words_.begin() + count_, 0);
        count_ = kept;
    }

    struct By {
        Epoch epoch;
        uint32_t pc, lane;
    };
    uint32_t count_ = 0;
    std::array<uint32_t, most> words_{}; ///< none: zero
    std::array<By, most> by_;
};

/// The last writes of a row's words, and the reads since. Each word is in one of the writes, or in none. Room for a
/// stencil of 3 x 3: three warps, each with three shifts, in two rows of a tile.
struct Spans {
    SpanList<6> writes;
    SpanList<20> reads;

    void clear() {
        writes.clear();
        reads.clear();
    }
    /// These replace whatever is remembered of their words. False: there is no room; their words have been forgotten.
    bool wrote(const Span& by) {
        writes.forget(by.words);
        reads.forget(by.words);
        return writes.add(by);
    }
};

} // namespace sim::hazards
