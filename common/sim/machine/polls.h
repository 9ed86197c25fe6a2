// Warps that only poll mbarriers, without success. Their registers may change (a waiting loop counts, or reads the
// clock), so that Grid::spinning() does not see a state come back; but no warp is left that could change the answer.
#pragma once

#include <cstdint>
#include <vector>

namespace sim::machine {

class Grid;
class LoopsSeen;

class Polls {
  public:
    /// True if every warp has only polled mbarriers for a long time, without success. Call once per scheduler round.
    bool in_vain(const Grid& grid, LoopsSeen& loops);

  private:
    uint64_t activity_ = 0;
    std::vector<uint32_t> counts_; ///< polls of each warp
};

} // namespace sim::machine
