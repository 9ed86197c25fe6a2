// What the detector remembers of Tensor Memory: for each column, 16 lanes at a time, who wrote the cells last and who
// has read them since.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/events/tensor.h"

namespace sim::hazards {

/// An access to Tensor Memory by one instruction.
struct TensorUse {
    enum class By : uint8_t { load, store, mma, cp, shift };
    By by = By::load;
    bool wrote = false;
    char operand = 'D';
    uint64_t block = 0; ///< of the warp that executed it, device-wide number
    uint32_t warp = 0, lane = 0, pc = 0;
    uint32_t tick = 0;         ///< of the warp then
    uint64_t number = 0;       ///< mma, cp, shift: BulkOp
    uint32_t waited_tick = 0;  ///< load, store: of the warp at its wait; 0: it has not waited
    uint64_t waited_phase = 0; ///< load, store: phases of the cluster's barrier that were complete then
    bool fenced = false;       ///< load, store: tcgen05.fence::before_thread_sync came after it
    uint64_t accumulator = 0;  ///< mma: the place of D, and its shape
    bool is_operation() const { return by >= By::mma; } ///< tracked by a commit
};

struct TensorCell {
    static constexpr uint32_t lanes = 16;
    struct Ref {
        uint64_t use = 0;  ///< TensorUses; 0: none
        uint16_t mask = 0; ///< lanes
    };
    Ref write;
    std::array<Ref, 3> reads{}; ///< since then
};

class TensorUses {
  public:
    uint64_t add(const TensorUse& use) {
        uses_.push_back(use);
        while (uses_.size() > most) {
            uses_.pop_front();
            ++first_;
        }
        return first_ + uses_.size() - 1;
    }
    /// nullptr: it is too old to be remembered.
    TensorUse* find(uint64_t number) {
        return number >= first_ && number - first_ < uses_.size() ? &uses_[number - first_] : nullptr;
    }

  private:
    static constexpr size_t most = 1u << 16;
    std::deque<TensorUse> uses_;
    uint64_t first_ = 1;
};

/// The Tensor Memory of one block.
struct TensorShadow {
    static constexpr uint32_t groups = 128 / TensorCell::lanes, columns = 512;
    struct Columns { ///< of an allocation
        uint32_t column = 0, columns = 0, pc = 0, warp = 0;
        uint32_t tick = 0;     ///< of that warp then
        uint64_t meetings = 0; ///< of the cluster at its barrier until then
    };
    std::vector<TensorCell> cells = std::vector<TensorCell>(groups * columns);
    std::vector<Columns> allocations;
    std::vector<Columns> of_pair; ///< all that .cta_group::2 has allocated, also what has been freed
    std::vector<Columns> freed;   ///< by this block's warps

    /// Calls f(cell, lanes of it, its first lane, column) for these cells.
    template <class F>
    void for_cells(const events::TensorCells& part, F&& f) {
        for (uint32_t group = part.lane / TensorCell::lanes;
             group * TensorCell::lanes < part.lane + part.lanes && group < groups; ++group) {
            const uint32_t first = group * TensorCell::lanes;
            uint32_t mask = 0xffff;
            if (part.lane > first)
                mask &= 0xffffu << (part.lane - first);
            if (part.lane + part.lanes < first + TensorCell::lanes)
                mask &= (1u << (part.lane + part.lanes - first)) - 1;
            for (uint32_t column = part.column; column < part.column + part.columns && column < columns; ++column)
                f(cells[group * columns + column], uint16_t(mask), first, column);
        }
    }
};

} // namespace sim::hazards
