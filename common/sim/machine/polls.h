// Warps that do nothing but ask mbarriers in vain. Their registers may change (a waiting loop counts, or reads the
// clock), so that Grid::spinning() does not see a state come back; but nobody is left who could give another answer.
#pragma once

#include <cstdint>
#include <vector>

namespace sim::machine {

class Grid;

class Polls {
  public:
    /// To be asked whenever all warps have had a turn: is a poll in vain all that each warp has done for a long time?
    bool in_vain(const Grid& grid);

  private:
    uint64_t activity_ = 0;
    std::vector<uint32_t> counts_; ///< polls of each warp
};

} // namespace sim::machine
