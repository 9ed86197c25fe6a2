// A block (CTA): shared memory, warps, barriers. Blocks are resumable; many are resident at once.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "sim/machine/gpu.h"
#include "sim/machine/warp.h"

namespace sim::machine {

class Grid;

/// One of the 16 named barriers of a block (bar.sync, barrier.sync).
struct NamedBarrier {
    uint32_t expected = 0; ///< threads; 0: not in use
    bool counted = false;  ///< for an explicit number of threads, among which those that have exited do not count
    uint32_t arrived = 0;
    uint32_t passed = 0;       ///< of those, threads that did not stay to wait (bar.arrive)
    const Op* first = nullptr; ///< where the first warp of this phase waits, if it waits for the whole block
    uint64_t completions = 0;
    uint32_t reduction = 0;      ///< barrier.red: popc, and/or of the arrivals so far
    uint32_t last_reduction = 0; ///< of the completed phase
    uint32_t reduction_zeros = 0, last_zeros = 0;
};

/// State of the async layer for one block (copies in flight, mbarriers).
struct BlockAsync {
    virtual ~BlockAsync() = default;
    /// Completes one outstanding operation (or a piece of it) of the block; false if there is none.
    virtual bool progress() = 0;
    /// Lets some outstanding work complete at random (adversary "random"); called between slices.
    virtual void tick() = 0;
    /// Completes the operation that the log knows by this number; false if it is not outstanding.
    virtual bool land(uint64_t logged) = 0;
    virtual bool outstanding() const = 0;
    /// Would the fragment's wait (Wait::Kind::mbarrier) be answered now?
    virtual bool wait_over(const Fragment&) = 0;
    /// For the deadlock table: what is missing for the phase of the mbarrier that these lanes wait for (Wait::address),
    /// and which threads have arrived.
    virtual std::string describe(const Warp&, const Fragment&) = 0;
    virtual void block_end() = 0;
    virtual void lanes_exit(Warp&, uint32_t mask) = 0;
};

/// State of the async layer for one SM: what its resident blocks share.
struct SmAsync {
    virtual ~SmAsync() = default;
};

class Block {
  public:
    Block(Grid& grid, uint64_t linear, Dim3 index);
    ~Block();

    Grid& grid;
    uint64_t linear; ///< number in the grid
    Dim3 index;
    uint32_t cluster_rank = 0;
    uint64_t cluster = 0; ///< number of its cluster
    uint32_t own_tag =
        0; ///< of its own shared addresses (memory::shared_tag): 1 for the odd blocks of Blackwell's pairs
    std::vector<std::byte> shared;
    std::vector<std::unique_ptr<Warp>> warps;
    std::array<NamedBarrier, 16> barriers;
    uint32_t threads = 0;             ///< that exist
    uint32_t exited = 0;              ///< threads that have ended
    uint32_t refused = 0;             ///< warps that have seen a request of clusterlaunchcontrol.try_cancel fail
    bool waited_for_launches = false; ///< a thread has executed griddepcontrol.wait
    /// Has a thread executed griddepcontrol.launch_dependents? Each of them ordered after such a wait?
    enum class Trigger : uint8_t { none, after_wait, before_wait } trigger = Trigger::none;
    uint64_t wakeups = 1; ///< grows whenever something a fragment may wait for has happened
    std::unique_ptr<BlockAsync> async;
    void* detector = nullptr;
    size_t next_warp = 0;
    uint64_t started_as = 0; ///< number in the order in which the blocks start
    uint64_t first_turn = 0; ///< Grid::turns when it started, or when the launch was divided

    /// The block of its cluster that a shared address with this tag names, if it is resident.
    Block* named_by(uint32_t tag);
    bool done() const { return exited == threads; }
    /// Threads arrive at a named barrier; releases the waiting fragments when it completes. A handler that waits sets
    /// its fragment's wait {kind barrier, id, arrived} *before* calling this and returns Flow::block. The released
    /// fragment executes the instruction again with wait.arrived still set: the handler then clears wait and goes on.
    void arrive(Warp& warp, uint32_t mask, uint32_t id, uint32_t expected, bool counted);
    void check_barriers(); ///< after threads have exited: they count as arrived at barriers of the whole block
    void wake(Wait::Kind kind);

  private:
    void complete(uint32_t id);
};

} // namespace sim::machine
