// Vector clocks. What one thread knows about the progress of others, per block as one chunk. Clocks are immutable and
// shared: after a block barrier all threads hold one clock.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/ordering/chunk.h"
#include "sim/ordering/epoch.h"

namespace sim::hazards {

class Clock;
using ClockRef = std::shared_ptr<const Clock>;

class Clock {
  public:
    struct Entry {
        uint64_t block;
        std::shared_ptr<const Chunk> chunk;
    };
    const Chunk* chunk(uint64_t block) const {
        for (const auto& entry : entries_)
            if (entry.block == block)
                return entry.chunk.get();
        return nullptr;
    }
    const std::vector<Entry>& entries() const { return entries_; }
    /// Notes that all who hold this clock know a bulk operation that an mbarrier tracks to be complete.
    void note(Epoch landed) const { landed_ = {landed, landed_[0]}; }
    bool has_noted(Epoch landed) const { return landed == landed_[0] || landed == landed_[1]; }

  private:
    friend class ClockBuilder;
    friend ClockRef joined(const ClockRef& mine, const ClockRef& other);
    std::vector<Entry> entries_; ///< sorted by block
    mutable std::array<Epoch, 2> landed_{};
};

/// Does `clock` know what `e` names, generically?
bool covers(const ClockRef& clock, Epoch e);

/// The union of both. If one of them covers the other it is returned itself, so that threads that wait for the same
/// operation share a clock.
ClockRef joined(const ClockRef& mine, const ClockRef& other);

/// A clock being joined together.
class ClockBuilder {
  public:
    bool empty() const { return entries_.empty(); }
    void join(const ClockRef& clock);
    /// The chunk of `block`, ours to change.
    Chunk& own(uint64_t block, uint32_t warps);
    ClockRef take();     ///< the finished clock; the builder is empty afterwards
    ClockRef snapshot(); ///< the clock so far; the builder goes on

  private:
    struct Entry {
        uint64_t block;
        std::shared_ptr<const Chunk> chunk;
        std::shared_ptr<Chunk> mine; ///< set when we own chunk
    };
    static void join(Entry& entry, const std::shared_ptr<const Chunk>& chunk);
    std::vector<Entry> entries_;
    std::array<ClockRef, 2> last_; ///< joined already, the last one first
};

} // namespace sim::hazards
