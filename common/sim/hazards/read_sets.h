// Interned sets of readers. A word read by a thousand threads holds one number; words that were read alike share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/hazards/epoch.h"

namespace sim::hazards {

struct Reader {
    Epoch epoch;   ///< lane field zero (kind async: as it is)
    uint32_t mask; ///< lanes of the warp
    uint32_t pc;
    bool operator==(const Reader&) const = default;
};

class ReadSets {
  public:
    const std::vector<Reader>& operator[](uint32_t id) const { return sets_[id]; }
    /// The number of a set with these readers.
    uint32_t intern(std::vector<Reader> readers);
    size_t bytes() const { return bytes_; }
    void clear();

  private:
    std::vector<std::vector<Reader>> sets_;
    std::unordered_map<uint64_t, std::vector<uint32_t>> by_hash_;
    size_t bytes_ = 0;
};

} // namespace sim::hazards
