// What one thread knows of the warps of one block: for each warp and plane one number, which all its lanes have
// reached, and those lanes of which more is known.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
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
    seen,          ///< its ordinary accesses that a relaxed access has published: an acquire fence is missing
    count
};

using events::Lanes;

/// All numbers of a chunk are side by side, and behind them the keys that they belong to. Chunks of one block mostly
/// agree in the keys: then two of them are compared, or joined, in one flat pass.
class Chunk {
  public:
    explicit Chunk(uint32_t warps) : warps_(warps) {}
    uint32_t at(Plane plane, uint32_t warp, uint32_t lane) const {
        const uint32_t slot = slot_of(plane, warp);
        if (ahead_) [[unlikely]]
            for (uint32_t i = first_of(slot); i < ahead_ && slots()[i] == slot; ++i)
                if (lanes()[i] >> lane & 1)
                    return values()[i];
        return any(plane) ? numbers(uint32_t(plane))[warp] : 0;
    }
    /// By warp: at(plane, warp, lane) is at least that, whichever the lane.
    const uint32_t* at_least(Plane plane) const {
        static constexpr uint32_t nothing[32] = {};
        return any(plane) ? numbers(uint32_t(plane)) : nothing;
    }
    void raise(Plane plane, uint32_t warp, uint32_t mask, uint32_t population, const Lanes& values);
    void raise(Plane plane, uint32_t warp, uint32_t mask, uint32_t population, uint32_t value) {
        if (mask == population && !ahead_ && any(plane)) {
            uint32_t& whole = change(numbers(uint32_t(plane)) + warp);
            whole = std::max(whole, value);
        } else {
            raise_lanes(plane, warp, mask, population, value);
        }
    }
    /// Accesses of a warp: all lanes have reached `all`, and lanes `mask`, not all of the warp, `value`.
    void raise(uint32_t warp, uint32_t mask, uint32_t population, uint32_t all, uint32_t value);
    void join(const Chunk& other);
    enum class Order : uint8_t {
        covers,  ///< everything that the other knows is known here, too
        covered, ///< the other knows all, and more
        neither
    };
    Order compare(const Chunk& other) const;
    /// fenced planes catch up with generic ones (fence.proxy.async); copies_fenced with copies.
    void fence(bool shared, bool global);
    /// Raises plane `to` by what `from` has in plane `plane`. True: there was anything.
    bool project(const Chunk& from, Plane plane, Plane to);
    bool any(Plane plane) const { return planes_ >> uint32_t(plane) & 1; } ///< is anything known in that plane?
    void raise_phase(uint32_t barrier, uint32_t phases);
    /// Phases of an mbarrier initialisation known complete (bytes that arrived by complete_tx).
    uint32_t phases(uint32_t barrier) const;
    uint32_t warps() const { return warps_; }
    /// Is more known of some lanes of a warp than of others?
    bool has_details() const { return has_details(0, 0); }
    /// `reached`: by all lanes of `warp`, in plane generic, in addition to what the chunk knows.
    bool has_details(uint32_t warp, uint32_t reached) const;

  private:
    static uint32_t slot_of(Plane plane, uint32_t warp) { return uint32_t(plane) << 5 | warp; }

    // data_: the numbers of each plane that is there, by warp (what all its lanes have reached); values of lanes ahead;
    // phases of barriers; then the keys: slots of lanes ahead, these lanes, and barriers.
    uint32_t number_count() const { return uint32_t(std::popcount(planes_)) * warps_; }
    uint32_t value_count() const { return number_count() + ahead_ + barriers_; }
    uint32_t place_of(uint32_t plane) const { return uint32_t(std::popcount(planes_ & ((1u << plane) - 1))) * warps_; }
    /// The numbers of a plane that is present.
    const uint32_t* numbers(uint32_t plane) const { return data_.data() + place_of(plane); }
    const uint32_t* values() const { return data_.data() + number_count(); }
    const uint32_t* phase_counts() const { return values() + ahead_; }
    const uint32_t* slots() const { return data_.data() + value_count(); }
    const uint32_t* lanes() const { return slots() + ahead_; }
    const uint32_t* barriers() const { return lanes() + ahead_; }
    static uint32_t& change(const uint32_t* place) { return const_cast<uint32_t&>(*place); } ///< of this chunk

    uint32_t number(uint32_t slot) const { return planes_ >> (slot >> 5) & 1 ? numbers(slot >> 5)[slot & 31] : 0; }
    uint32_t first_of(uint32_t slot) const; ///< the first of the lanes ahead that is not before that slot
    uint32_t first_barrier(uint32_t barrier) const;
    bool same_keys(const Chunk& other) const;
    bool covers_ahead(const Chunk& other) const;
    bool covers_phases(const Chunk& other) const;

    void add_planes(uint32_t planes);
    void add_ahead(uint32_t i, uint32_t slot, uint32_t of, uint32_t value);
    void drop_ahead(uint32_t i);
    uint32_t drop_ahead(uint32_t first, uint32_t end, bool passed);
    void lift_ahead();
    void adopt(uint32_t slot, uint32_t of);
    void raise_whole(uint32_t slot, uint32_t value);
    void sort_lanes(uint32_t first, uint32_t end);
    void raise_lanes(Plane plane, uint32_t warp, uint32_t mask, uint32_t population, uint32_t value);
    void raise(uint32_t slot, uint32_t raised, uint32_t value);
    /// Raises slot `to` by what `from` has in another slot; in one before it, if that is this chunk itself.
    void raise(uint32_t to, const Chunk& from, uint32_t slot);

    uint32_t warps_;
    uint32_t planes_ = 0; ///< in which anything is known; mostly few
    /// Sets of lanes of a slot, with one value that is greater than that of the whole warp, or equal: most_kept of a
    /// slot stay when their warp catches up, so that chunks agree in their keys. Sorted by slot and lanes; never all 32
    /// lanes of a slot.
    uint32_t ahead_ = 0;
    static constexpr uint32_t most_kept = 2;
    uint32_t barriers_ = 0; ///< of which phases are known; sorted
    std::vector<uint32_t> data_;
};

} // namespace sim::hazards
