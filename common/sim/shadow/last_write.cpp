#include "sim/shadow/last_write.h"

namespace sim::hazards {

bool last_writes_are_fine(const Ordering& ordering, const WarpClock& warp, uint32_t lane, const Cell& cell,
                          uint32_t words, const Later& later) {
    const uint32_t lanes = cell.written_by_several(words) ? words >> cell.write_step : 1;
    for (uint32_t i = 0; i < lanes; ++i)
        if (!last_write_is_fine(ordering, warp, lane, cell.part(i << cell.write_step).write, later))
            return false;
    return true;
}

} // namespace sim::hazards
