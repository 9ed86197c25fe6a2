// What one block did, as far as time is concerned: instructions, copies, arrivals and waits, in the order in which the
// device executed them. No times: those come from replay().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/ptx/module.h"

namespace sim::timeline {

inline constexpr uint32_t none = UINT32_MAX;

struct Event {
    enum class Kind : uint8_t {
        copy,        ///< starts an asynchronous copy, or a piece of one, into shared memory
        store_copy,  ///< starts an asynchronous copy out of shared memory
        load,        ///< from global memory into registers
        load_shared, ///< from shared memory into registers
        store,       ///< needs the values of earlier loads; `bytes` go to global memory
        tensor,      ///< starts a tcgen05 operation: `cells` of Tensor Memory
        product,     ///< starts a wgmma operation: `cells` of its sums
        arrive,      ///< at a barrier
        wait,        ///< for a Join
        end,         ///< of the warp
    };
    Kind kind = Kind::end;
    uint32_t warp = 0;
    uint32_t issue = 0;    ///< how long a scheduler issues the warp's instructions since its last event; see Chains
    uint32_t steps = 0;    ///< the longest chain of them of which each needs the result of the one before
    uint32_t bytes = 0;    ///< that go through the memory pipe; of a load 0: the block has loaded them before
    uint32_t place = none; ///< Recording::places
    uint32_t what =
        none;            ///< of copies: Recording::copies; of tensor: Recording::operations; of waits: Recording::joins
    uint32_t mask = ~0u; ///< lanes
    uint32_t lines = 0;  ///< of a cp.async: lines of 128 bytes that its lanes read
    uint32_t branches = 0;   ///< among those instructions: branches that some lane took
    uint32_t wavefronts = 0; ///< of shared memory, in which those instructions read or write
    uint32_t cells = 0;      ///< that an operation of a tensor core writes
    uint32_t cached = 0;     ///< among `bytes`: other loads of the launch have brought them into the L2 cache
    bool operates() const { return kind == Kind::tensor || kind == Kind::product; }
};

/// A bulk copy, or a cp.async group of one warp.
struct Copy {
    std::string name;    ///< "cp.async group", "bulk copy", "tensor copy", "bulk store"
    uint32_t number = 0; ///< a group's place among those of its warp; else among the block's copies of that name
    uint32_t warp = 0, place = none;
    uint64_t bytes = 0;
};

/// The condition of a wait: events that have to be over.
struct Join {
    enum class At : uint8_t { copies, barrier, cluster, mbarrier };
    std::string name;      ///< "barrier 0", "full[1]", "wait_group 2"
    uint32_t phase = none; ///< of an mbarrier
    bool reads = false;    ///< copies out of shared memory need only have read their source
    std::vector<uint32_t> events{};
    At at = At::copies;
    bool never = false; ///< it had not happened when the launch was stopped
};

struct Recording {
    std::string kernel;
    uint64_t block = 0; ///< number in the grid
    uint32_t warps = 0;
    std::vector<Event> events;
    std::vector<ptx::SourceLine> places; ///< without columns
    std::vector<Copy> copies;
    std::vector<Copy> operations; ///< of tcgen05, and wgmma groups; `bytes` is 0
    std::vector<Join> joins;
    bool cut = false;   ///< too much happened: the end is missing
    bool hangs = false; ///< the launch was stopped while the block waited
};

} // namespace sim::timeline
