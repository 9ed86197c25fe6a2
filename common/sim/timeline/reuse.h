// What the blocks of a launch load more than once: memory delivers it the first time, then the L2 cache has it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/timeline/recording.h"

namespace sim::timeline {

class Reuse {
  public:
    static constexpr uint64_t sector = 32; ///< bytes that memory moves at once
    void clear() { *this = {}; }
    /// What an instruction of the launch loads, in pieces. It loads each sector once.
    void piece(uint64_t address, uint64_t bytes);
    /// These are all of its pieces; `event`: of the recorded block, else none.
    void loaded(uint32_t event);
    /// Sets Event::cached: of n loads of the same bytes, no matter which comes first, n - 1 find them in the cache.
    void settle(std::vector<Event>& events) const;

  private:
    static constexpr size_t most = 50'000'000 / sector; ///< sectors that the cache has room for

    std::vector<uint64_t> pieces_;                        ///< sectors
    std::unordered_map<uint64_t, uint32_t> loads_;        ///< by sector
    std::vector<std::pair<uint32_t, uint64_t>> recorded_; ///< events and sectors
};

} // namespace sim::timeline
