// Rows of a block's shared memory that its own warps access here and there, in words and half words. What is remembered
// of a half word takes 12 bytes, side by side with its neighbours', so that all lanes of an access are judged together:
// counters of a sort, a transposed tile. The cells are the specification: an access that is not simply fine, and
// whatever else does not fit, makes cells of the row again.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "sim/ordering/warp_clock.h"
#include "sim/shadow/spans.h"

namespace sim::hazards {

struct Cell;
class SplitPool;
class ReadSets;

/// Accesses have numbers, in the order in which they were made or became known here. One is remembered as a word: its
/// number, whether several lanes read (1 bit), the warp and the lane (5 bits each).
class Loose {
  public:
    static constexpr uint32_t row_halves = 64, most_halves = 8; ///< of a row; of a lane's access

    explicit Loose(uint64_t rows);
    void clear(); ///< no row is loose, or ever was

    bool has(uint64_t row) const { return state_[row] & 1; }
    const uint8_t* states() const { return state_.data(); } ///< by row; bit 0: has()
    bool may_enter(uint64_t row) const { return state_[row] < 2 * most_times; }
    /// Makes a row loose that is whole, or in spans, and of which these halves can remember all; `block` has the
    /// memory.
    bool enter(uint64_t row, Cell& cell, const Spans* spans, uint64_t block);
    /// What the cells of the quads of a row remember: it is split, and no longer loose.
    void to_quads(uint64_t row, uint64_t block, Cell* quads, SplitPool& pool);
    /// The last write of a word; 0: there is none, or not one of all its bytes.
    Epoch last_write(uint64_t word, uint64_t block) const;

    /// An access of a warp, ordinary and of lanes that know the same.
    struct Access {
        uint32_t mine;   ///< as it is remembered, of lane 0
        uint32_t before; ///< all lanes are ordered after the accesses up to this number,
        uint32_t own;    ///< after those of the warp up to this one,
        uint32_t same;   ///< and those of the warp from this one on were made in the same tick
    };
    Access begin(const WarpClock& warp, uint32_t pc);
    /// Lanes `mask` access `halves` half words each, from number at[lane] on; the other lanes have at[lane] =
    /// nowhere(). Returns the lanes of which there may be something to report. If there are any, nothing was changed.
    uint32_t access(const Access& now, bool writes, const uint32_t* at, uint32_t mask, uint32_t halves);
    uint32_t nowhere() const { return nowhere_; }

  private:
    static constexpr uint32_t number_shift = 11, several = 1024, warp_and_lane = 1023, warp_bits = 992;
    static constexpr size_t few_accesses = 1u << 16;
    static constexpr uint8_t most_times = 3; ///< that a row becomes loose, after which it stays in cells

    struct Made {
        uint32_t tick, pc;
    };
    struct Run { ///< of accesses of one warp and tick
        uint32_t first, warp, tick;
    };
    struct Seen {                               ///< by a warp
        uint32_t run = 0;                       ///< the first that it is not known to be ordered after
        uint32_t tick = 0, first = 0, same = 0; ///< of its last tick: the first access; all since are of that tick
    };
    uint32_t number(uint32_t warp, uint32_t tick, uint32_t pc);
    uint32_t number(Epoch e, uint32_t pc) {
        return number(warp_of(e), tick_of(e), pc) << number_shift | warp_of(e) << 5;
    }
    void compact();
    /// The last read of a half word, if it came after the last write; else 0. Its lanes.
    uint32_t reader(uint64_t half) const { return read_[half] > write_[half] ? read_[half] : 0; }
    uint32_t readers(uint64_t half) const { return read_[half] & several ? mask_[half] : 1u << (read_[half] & 31); }
    void put(Cell& cell, uint32_t half, uint64_t block) const;
    template <uint32_t halves, bool writes>
    uint32_t access(const Access& now, const uint32_t* at, uint32_t mask);
    template <bool writes>
    static uint32_t wrong(const Access& now, uint32_t mine, uint32_t w, uint32_t r, uint32_t& in_tick);
    void read_by_several(const Access& now, const uint32_t* at, uint32_t mask, uint32_t halves, const uint32_t* w,
                         const uint32_t* r);

    std::vector<uint8_t> state_; ///< by row: is it loose (bit 0); twice how often it was and became cells again
    uint32_t nowhere_;
    // By half word: the last write, and read, and the latter's lanes if there are several.
    std::unique_ptr<uint32_t[]> write_, read_, mask_;
    std::vector<Made> accesses_;          ///< by number; 0: none
    size_t most_accesses_ = few_accesses; ///< before some are forgotten
    std::vector<Run> runs_;
    std::array<Seen, 32> seen_{};
};

} // namespace sim::hazards
