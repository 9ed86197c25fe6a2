// Locks as programs make them from atomic operations: which lanes have taken one, and which ask for one that is
// taken. Only the report of a deadlock reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sim::machine {

class Grid;
class Warp;

/// What compare-and-swap and exchange operations of the lanes did last.
class Locks {
  public:
    struct Use {
        const std::byte* taken = nullptr;  ///< a nonzero value was stored there
        uint32_t taken_pc = 0;             ///< device-wide
        const std::byte* wanted = nullptr; ///< such an operation has just failed there
        uint64_t address = 0;              ///< of `wanted`: global, or the offset in shared memory
        bool shared = false;
    };
    void take(uint32_t lane, const std::byte* at, uint32_t pc);
    void release(uint32_t lane, const std::byte* at);
    void want(uint32_t lane, const std::byte* at, uint64_t address, bool shared);
    const Use* use(uint32_t lane) const { return lane < uses_.size() ? &uses_[lane] : nullptr; }

  private:
    Use& of(uint32_t lane);
    std::vector<Use> uses_; ///< by lane; empty until there is one
};

/// What lanes `mask` of `warp` spin on, and where the holder is: "asks again and again for lock[3], which thread 0 of
/// block 0 took at k.cu:12 and holds at k.cu:13: waits for lanes 0x0000000e of its warp". Empty: they do not.
struct LockSpin {
    std::string text;
    bool in_warp = false; ///< the holder is a lane of the same warp, and waits for it
};
LockSpin spin_on_lock(const Grid&, const Warp& warp, uint32_t mask);

} // namespace sim::machine
