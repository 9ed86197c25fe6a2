// Ordinary accesses to loose rows, and which rows become loose.
#pragma once

#include "sim/events/access.h"
#include "sim/shadow/loose.h"
#include "sim/shadow/shadow.h"

namespace sim::hazards {

class LooseCheck {
  public:
    LooseCheck(const WarpClock& warp, const SharedCells& cells, bool writes, uint32_t pc)
        : warp_(warp), cells_(cells), loose_(*cells.shadow.loose), writes_(writes), pc_(pc) {}

    /// `count` lanes from `first` on access words side by side in a loose row. False: nothing was changed.
    bool row(uint64_t address, uint32_t first, uint32_t count) {
        const uint32_t mask = ~0u >> (32 - count) << first, place = half(address) - 2 * first;
        uint32_t at[32];
        for (uint32_t lane = 0; lane < 32; ++lane)
            at[lane] = mask >> lane & 1 ? place + 2 * lane : nowhere(lane);
        return !loose_.access(loose_.begin(warp_, pc_), writes_, at, mask, 2);
    }

    /// Lanes of one of the block's own warps access words or half words. `here_and_there`: the rows are to become
    /// loose. Returns the lanes of which nothing was recorded: their rows are not loose, or there may be something to
    /// report.
    uint32_t lanes(const events::Access& a, bool here_and_there) {
        alignas(64) uint32_t at[32];
        uint32_t misaligned = 0, here = 0;
        const uint64_t* const addresses = a.address;
        const uint32_t before = cells_.before, mask = a.mask, nowhere = loose_.nowhere(), in_access = a.bytes - 1;
        for (uint32_t lane = 0; lane < 32; ++lane) {
            const uint32_t active = -(mask >> lane & 1u), place = uint32_t(addresses[lane]) + before;
            at[lane] = (active & place / 2) | (~active & (nowhere + lane * Loose::most_halves));
            misaligned |= active & place & in_access;
        }
        if (misaligned)
            return mask;
        const uint8_t* const states = loose_.states();
        uint32_t all = 1;
        for (uint32_t lane = 0; lane < 32; ++lane)
            all &= states[at[lane] / Loose::row_halves];
        for (uint32_t lane = 0; !all && lane < 32; ++lane)
            here |= uint32_t(states[at[lane] / Loose::row_halves] & 1u) << lane;
        here = all ? mask : here & mask;
        for (uint32_t rest = mask & ~here; rest; rest &= rest - 1) {
            const auto lane = uint32_t(std::countr_zero(rest));
            if (here_and_there && enter(at[lane] / Loose::row_halves))
                here |= 1u << lane;
            else
                at[lane] = this->nowhere(lane);
        }
        if (!here)
            return a.mask;
        const auto now = loose_.begin(warp_, pc_);
        while (const uint32_t wrong = loose_.access(now, writes_, at, here, a.bytes / 2))
            leave_out(at, here, wrong);
        return a.mask & ~here;
    }

  private:
    uint32_t half(uint64_t address) const { return uint32_t(address + cells_.before) / 2; }
    uint32_t nowhere(uint32_t lane) const { return loose_.nowhere() + lane * Loose::most_halves; }

    /// Lanes in the rows that lanes `wrong` access.
    void leave_out(uint32_t* at, uint32_t& lanes, uint32_t wrong) const {
        for (uint32_t rest = wrong; rest; rest &= rest - 1) {
            const uint32_t row = at[std::countr_zero(rest)] / Loose::row_halves;
            for (uint32_t lane = 0; lane < 32; ++lane)
                if (at[lane] / Loose::row_halves == row) {
                    lanes &= ~(1u << lane);
                    at[lane] = nowhere(lane);
                }
        }
    }
    bool enter(uint64_t row) {
        if (loose_.has(row))
            return true;
        Cell& cell = cells_.first_row[row];
        return loose_.may_enter(row) && !cell.in_quads() &&
               loose_.enter(row, cell, cell.in_spans ? &cells_.shadow.spans[cell.group - 1] : nullptr, warp_.block);
    }

    const WarpClock& warp_;
    const SharedCells& cells_;
    Loose& loose_;
    const bool writes_;
    const uint32_t pc_;
};

} // namespace sim::hazards
