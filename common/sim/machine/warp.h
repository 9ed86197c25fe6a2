// A warp: 32 lanes with a program counter each. Lanes that share pc and frame run together as a fragment; a divergent
// branch splits a fragment, and fragments that meet again merge (independent thread scheduling).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "sim/machine/locks.h"
#include "sim/machine/op.h"
#include "sim/machine/pending.h"
#include "sim/machine/program.h"
#include "sim/machine/specials.h"

namespace sim::machine {

class Block;

/// An activation of a function: registers and parameters of up to 32 lanes.
struct Frame {
    Frame() = default;
    Frame(const Frame&) = delete;
    ~Frame() { ::operator delete[](data, std::align_val_t{64}); }
    Frame* parent = nullptr;
    DecodedFunction* function = nullptr;
    uint32_t references = 0; ///< fragments and child frames
    uint32_t depth = 0;
    uint32_t return_pc = 0;
    const Op* call = nullptr; ///< in the parent
    uint32_t local_base = 0;  ///< of this function's `.local` variables
    uint32_t capacity = 0;
    uint64_t stack = 0;        ///< bytes of the frames from the kernel's to this one
    std::byte* data = nullptr; ///< frame_bytes, 64-byte aligned
};

/// Why a fragment does not run.
struct Wait {
    enum class Kind : uint8_t {
        none,
        collective,    ///< a .sync instruction: until the other lanes of `member` arrive
        barrier,       ///< block barrier `id`
        cluster,       ///< barrier.cluster.wait
        mbarrier,      ///< try_wait on `address`, asking for `phase`
        tensor_memory, ///< tcgen05.alloc or .dealloc: until columns are free, or the other block of the pair takes part
        sleep, ///< nanosleep, or an unsuccessful poll of an mbarrier (`address`, `phase`): until others had a turn
    };
    Kind kind = Kind::none;
    bool arrived = false; ///< the barrier has counted these lanes; survives the release, until the handler clears it
    bool forced = false;  ///< nothing else could run: answer without waiting
    uint32_t member = 0;  ///< lanes
    uint32_t id = 0;
    uint64_t address = 0;
    uint64_t phase = 0;
    uint64_t ticket = 0; ///< Block::wakeups when it began to wait
    /// Waits for a phase, or has just polled one without success.
    bool asks_mbarrier() const { return kind == Kind::mbarrier || (address && (forced || kind == Kind::sleep)); }
};

struct Fragment {
    uint32_t mask = 0;
    uint32_t pc = 0;
    Frame* frame = nullptr;
    Wait wait;
    bool ready() const { return wait.kind == Wait::Kind::none; }
};

/// What an ended warp leaves to the one of its number in a later block: allocating it costs more than a short kernel.
struct WarpStorage {
    std::unique_ptr<SpecialPage> specials; ///< mostly alike for all blocks
    std::vector<Fragment> fragments;       ///< empty
    std::vector<std::unique_ptr<Frame>> frames;
};

class Warp {
  public:
    Warp(Block& block, uint32_t id, uint32_t lanes, WarpStorage&& storage);
    Warp(const Warp&) = delete;
    WarpStorage retire(); ///< ends all lanes

    Block& block;
    uint32_t id;         ///< in the block
    uint32_t population; ///< lanes that exist
    uint32_t exited = 0; ///< lanes that have ended
    std::vector<Fragment> fragments;
    size_t current = 0; ///< the fragment that ran last
    uint32_t starvation = 0;
    uint64_t instructions = 0; ///< warp instructions executed
    uint64_t branches = 0;     ///< of those, branches that some lane took
    uint64_t thread_instructions = 0;
    std::unique_ptr<SpecialPage> specials;
    Pending pending;
    Locks locks;
    std::vector<std::byte> local; ///< 32 * local_stride
    uint32_t local_stride = 0;
    uint32_t cluster_arrived = 0;             ///< lanes that have arrived in the current phase of the cluster's barrier
    std::array<uint64_t, 32> cluster_phase{}; ///< the phase in which each lane last arrived
    void* async = nullptr;                    ///< for the async layer
    void* detector = nullptr;                 ///< for the hazard detector

    uint32_t alive() const { return population & ~exited; }
    bool done() const { return alive() == 0; }

    /// Is there room for an activation of `callee` on top of `caller`? Each thread has 512 KiB of local memory.
    static bool has_room(const DecodedFunction& callee, const Frame& caller);
    Frame* push(DecodedFunction& function, Frame* parent, uint32_t return_pc, const Op* call);
    void drop(Frame* frame); ///< one reference less; recycles
    void retain(Frame* frame) { ++frame->references; }
    /// Ends the lanes in `mask` of fragment `index`.
    void exit(size_t index, uint32_t mask);
    /// Splits lanes `mask` off fragment `index`; the new fragment continues at `pc`. Returns its index.
    size_t split(size_t index, uint32_t mask, uint32_t pc);
    /// Merges fragments that stand at the same place. Keeps `current` valid.
    void merge();
    bool runnable() const;
    void grow_local(uint32_t stride);

  private:
    std::vector<std::unique_ptr<Frame>> pool_;
};

} // namespace sim::machine
