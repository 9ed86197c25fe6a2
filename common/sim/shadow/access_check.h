// The fast check of ordinary and strong accesses against shadow memory. Excuses come first and are cheap; an access
// that has none goes to a Finder.
#pragma once

#include "sim/events/access.h"
#include "sim/memory/global_memory.h"
#include "sim/ordering/atomics.h"
#include "sim/ordering/ordering.h"
#include "sim/shadow/shadow.h"

namespace sim::machine {
struct Exec;
}

namespace sim::hazards {

/// What an access does to the bytes.
enum class Role : uint8_t { load, store, atomic, copy_source, copy_destination, async_read, async_write, matrix_read };
inline Role role_of(events::Access::Kind kind) {
    using enum events::Access::Kind;
    return kind == load ? Role::load : kind == store ? Role::store : Role::atomic;
}

/// A place in memory: an offset in a block's shared memory, or (no block) a global address.
struct Spot {
    const machine::Block* block = nullptr;
    uint64_t at = 0;
    ptx::Space space() const { return block ? ptx::Space::shared : ptx::Space::global; }
};

/// Two accesses that nothing orders: one that a lane makes now, and one that a cell remembers.
struct Unordered {
    uint32_t lane = 0;
    Role role = Role::load;
    Spot spot;
    Epoch other = 0;
    uint32_t other_pc = 0;
    bool other_wrote = true;
    bool same_value = false; ///< both stored the same bytes
    bool unwritten = false;  ///< this write is the first to these bytes: the other access has read nothing
    /// Both are atomic (or volatile …), and one of them, this one or the other, has the block as its scope: its pc. 0:
    /// it is something else.
    uint32_t narrow_pc = 0;
    bool volatile_value = false; ///< both are volatile, and this load takes the value that the other stored
    uint32_t missing = 0;        ///< bytes of this load that nothing has written, if others are, one bit each
};

/// Takes the check's findings. The value of a load matters only when it is used, so a load gets a number, by which the
/// machine reports the use; 0: nothing to follow.
class Finder {
  public:
    virtual ~Finder() = default;
    virtual uint32_t unordered(machine::Exec&, const Unordered&) = 0;
    /// A load of bytes that nothing has written; `missing`: only these, one bit each.
    virtual uint32_t undefined_load(machine::Exec&, uint32_t lane, Spot, uint32_t missing = 0) = 0;
    /// Is the instruction a volatile store?
    virtual bool is_volatile(uint32_t pc) = 0;
    /// A load that the compiler may have moved in front of its condition.
    virtual uint32_t speculated_load(machine::Exec&, uint32_t lane, ptx::Space) = 0;
};

class AccessCheck {
  public:
    AccessCheck(const memory::GlobalMemory& memory, const Ordering& ordering, Atomics& atomics, Finder& finder)
        : memory_(memory), ordering_(ordering), atomics_(atomics), finder_(finder) {}

    /// Checks and records an access of lanes of `warp`. Loads whose value must be followed go to `reports`.
    /// `locations`: clocks of the locations, for strong accesses.
    template <class Cells>
    void operator()(machine::Exec&, const events::Access&, events::Reports& reports, WarpClock& warp,
                    ShadowTables& tables, LocationClocks& locations, const Cells& cells) const;

  private:
    template <class Cells>
    struct OfWarp;

    const memory::GlobalMemory& memory_;
    const Ordering& ordering_;
    Atomics& atomics_;
    Finder& finder_;
};

extern template void AccessCheck::operator()(machine::Exec&, const events::Access&, events::Reports&, WarpClock&,
                                             ShadowTables&, LocationClocks&, const SharedCells&) const;
extern template void AccessCheck::operator()(machine::Exec&, const events::Access&, events::Reports&, WarpClock&,
                                             ShadowTables&, LocationClocks&, const GlobalCells&) const;

} // namespace sim::hazards
