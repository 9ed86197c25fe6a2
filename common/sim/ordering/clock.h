// Vector clocks. What one thread knows about the progress of others, per block as one chunk: for each warp one number
// per plane, or 32 where its lanes differ. Clocks are immutable and shared: after a block barrier all threads hold one
// clock.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/events/copies.h"

namespace sim::hazards {

/// What is known of another thread. Numbers are ticks of its warp (generic, fenced_*), or operations in issue order.
enum class Plane : uint8_t {
    generic,       ///< its ordinary accesses
    copies,        ///< its cp.async operations known complete
    fenced_shared, ///< its ordinary accesses to shared memory, fenced towards the async proxy
    fenced_global, ///< the same for global memory
    copies_fenced, ///< cp.async operations known complete and fenced
    bulk_read,     ///< its bulk operations whose sources have been read
    bulk_done,     ///< its bulk operations that are complete
    matrices,      ///< wgmma.mma_async operations of the warpgroup that begins with it, known complete
    fenced_device, ///< its ordinary accesses that it has fenced at device scope (__threadfence)
    seen,          ///< its ordinary accesses that a relaxed access has told of: an acquire fence is missing
    count
};

using events::Lanes;

/// Knowledge about the warps of one block.
class Chunk {
  public:
    explicit Chunk(uint32_t warps) : warps_(warps), uniform_(std::max<size_t>(size_t(Plane::count) * warps, 32)) {}
    uint32_t at(Plane plane, uint32_t warp, uint32_t lane) const {
        const uint32_t slot = uint32_t(plane) * warps_ + warp;
        if (detailed_) [[unlikely]]
            if (const Lanes* lanes = find(slot))
                return (*lanes)[lane];
        return uniform_[slot];
    }
    /// By warp: at(plane, warp, lane) is at least that, whichever the lane.
    const uint32_t* at_least(Plane plane) const { return uniform_.data() + uint32_t(plane) * warps_; }
    void raise(Plane plane, uint32_t warp, uint32_t mask, uint32_t population, const Lanes& values);
    void raise(Plane plane, uint32_t warp, uint32_t mask, uint32_t population, uint32_t value);
    void join(const Chunk& other);
    /// Is everything that `other` knows known here, too?
    bool covers(const Chunk& other) const;
    /// fenced planes catch up with generic ones (fence.proxy.async); copies_fenced with copies.
    void fence(bool shared, bool global);
    /// Raises plane `to` by what `from` has in plane `plane`. True: there was anything.
    bool project(const Chunk& from, Plane plane, Plane to);
    bool any(Plane plane) const; ///< is anything known in that plane?
    void raise_phase(uint32_t barrier, uint32_t phases);
    /// Phases of an mbarrier initialisation known complete (bytes that arrived by complete_tx).
    uint32_t phases(uint32_t barrier) const;
    uint32_t warps() const { return warps_; }
    /// Is more known of some lanes of a warp than of others?
    bool has_details() const { return detailed_; }

  private:
    using Detail = std::pair<uint32_t, Lanes>;
    const Lanes* find(uint32_t slot) const;
    Lanes& detail(uint32_t slot);
    void join_details(const Chunk& other);

    uint32_t warps_;
    bool detailed_ = false;
    std::vector<uint32_t> uniform_;
    std::vector<Detail> details_;                       ///< sorted by slot
    std::vector<std::pair<uint32_t, uint32_t>> phases_; ///< sorted by barrier
};

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
    bool has_details() const {
        return std::any_of(entries_.begin(), entries_.end(), [](const Entry& e) { return e.chunk->has_details(); });
    }

  private:
    friend class ClockBuilder;
    std::vector<Entry> entries_; ///< sorted by block
};

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
    ClockRef last_; ///< joined already
};

} // namespace sim::hazards
