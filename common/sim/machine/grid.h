// A running grid: which blocks are resident, who runs next.
//
// Several grids may run side by side (launches.h): then each has a turn now and then.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "sim/events/barrier_log.h"
#include "sim/events/conductor.h"
#include "sim/events/listener.h"
#include "sim/machine/block.h"
#include "sim/machine/gpu.h"
#include "sim/machine/loop.h"
#include "sim/machine/polls.h"
#include "sim/memory/global_memory.h"

namespace sim::machine {

class LoadedModule;

class Grid {
  public:
    /// Numbers that no two grids that run side by side may both give out, and what their blocks share.
    struct Numbers {
        uint64_t bulk = 1;     ///< of the next bulk copy that the listener hears of
        uint32_t mbarrier = 1; ///< id of the next mbarrier
        std::map<uint64_t, std::shared_ptr<SmAsync>> sms{};
    };
    Grid(const Options&, memory::GlobalMemory&, const Kernel&, const LaunchConfig&,
         std::span<const std::byte> parameters, events::Listener*,
         std::unique_ptr<BlockAsync> (*asynchronous_units)(Block&), Numbers&);
    ~Grid();

    enum class Turn : uint8_t {
        on,          ///< it has more to do
        ended,       ///< see outcome()
        stuck,       ///< no thread can make progress, unless something changes elsewhere
        endless,     ///< threads loop and nothing can change, unless something changes elsewhere
        runaway,     ///< more instructions than Options::max_instructions
        interrupted, ///< Options::interrupt
    };
    /// Lets every warp run for a while.
    Turn turn();
    /// Ends a grid that will not end by itself. `why`: the result of turn(). `table`: where each warp waits, in all
    /// grids.
    void give_up(Turn why, const std::string& table);
    /// Ends it because the device is lost. `why`: the fault of another grid.
    void abandon(const Outcome& why);
    /// The memory of a copy that this lane issued at `pc` is gone: reports it, and ends the grid.
    void lose_copy(Block& block, uint32_t warp, uint32_t lane, uint32_t pc, std::string what,
                   const memory::Allocation* gone);
    const Outcome& outcome() const { return outcome_; }
    /// Finds out what memory the threads of an endless grid ask for, for waiting_table().
    void note_polls();
    std::string waiting_table() const;                                  ///< where each warp waits
    uint64_t cost() const { return whole_device / limit_; }             ///< what a block takes of the device
    uint64_t taken() const { return resident.size() * cost(); }         ///< what all its resident blocks take
    uint64_t not_started() const { return block_count_ - next_block_; } ///< blocks
    /// The resources of the blocks that have to start together.
    uint64_t needed() const { return (config.cooperative ? block_count_ : blocks_per_cluster) * cost(); }
    static constexpr uint64_t whole_device = uint64_t{1} << 40;

    // --- parts of it, in other processes (division.h)
    /// May its blocks run apart, as far as the machine knows?
    bool divisible() const;
    struct Clusters { ///< numbers of clusters; of single blocks, if there are no clusters
        uint64_t resident, not_started, begun;
    };
    Clusters clusters() const;
    /// Leaves only these clusters, [first, end) of those that are resident or not started. Returns which blocks these
    /// are, by Block::linear.
    std::vector<bool> keep_clusters(uint64_t first, uint64_t end);
    /// All that was left of it has run elsewhere.
    void end_elsewhere();
    struct Stay {
        uint64_t cluster; ///< number in the order in which they start
        uint64_t turns;   ///< that it is resident, from the division on
    };
    const std::vector<Stay>& stays() const { return stays_; } ///< of a part
    /// In which turn after the division each cluster would have started here, by its number; 0: it was resident.
    /// `stays`: those of all that are left.
    std::vector<uint64_t> start_turns(std::span<const Stay> stays) const;
    /// Something in it depends on how blocks take turns: a thread has read a clock, or had nothing to do but to ask
    /// again.
    bool depends_on_turns = false;

    /// Other activity on the device. All zero while the grid is alone.
    struct Beside {
        uint64_t activity = 0;     ///< grows with every effect elsewhere
        uint64_t instructions = 0; ///< thread-instructions of the other grids
        uint64_t taken = 0;        ///< of the device, by the grids before it
    } beside;

    const Options& options;
    memory::GlobalMemory& memory;
    const Kernel kernel;
    const LaunchConfig config;
    events::Listener* listener;   ///< nullptr: there is none
    events::BarrierLog* log;      ///< nullptr: there is none
    events::Conductor* conductor; ///< nullptr: there is none
    DecodedFunction* entry = nullptr;
    std::vector<std::byte> parameters;
    uint64_t parameter_address = 0; ///< device address of the parameter block, for taking a parameter's address
    uint64_t id = 0;                ///< %gridid
    Numbers& next;
    uint64_t workspace = 0; ///< device address of a cooperative grid's barrier
    Statistics statistics;
    uint64_t cycles = 0;   ///< warp instructions executed so far: the modelled clock
    uint64_t turns = 0;    ///< so far
    uint64_t activity = 0; ///< grows with every effect (stores, arrivals, completions, exits); stands still in deadlock
    std::mt19937_64 random;
    uint32_t shared_bytes = 0;                         ///< per block, static and dynamic
    LoadedModule::SharedArray largest_shared;          ///< static variable
    std::vector<std::vector<WarpStorage>> spare_warps; ///< of ended blocks, by number in the block
    std::vector<std::unique_ptr<Block>> resident;
    uint32_t blocks_per_cluster = 1;

    /// Cancels a cluster that has not been started (clusterlaunchcontrol.try_cancel): the index of its first block.
    /// Nothing: the request fails, which depends on the schedule.
    std::optional<Dim3> cancel_cluster();

    Block* cluster_block(const Block& of, uint32_t rank); ///< the block with this rank in the cluster, if resident

    /// Barrier of a cluster (barrier.cluster).
    struct ClusterBarrier {
        uint64_t completions = 0;
    };
    void arrive_at_cluster(Warp& warp, uint32_t mask);
    /// Completes the barrier of this cluster if all its threads have arrived or ended.
    void check_cluster_barrier(Block& any);
    ClusterBarrier& cluster_barrier(uint64_t cluster) { return cluster_barriers_[cluster]; }

    /// File and line of an op, for messages: "kernel.cu:41".
    std::string where(const DecodedFunction& function, uint32_t pc) const;

  private:
    struct Spin {
        uint64_t activity = 0, since = 0; ///< cycles
        uint32_t steps = 0;
        LoopsSeen loops = {};
        struct State {
            uint64_t hash, instructions;
        };
        std::vector<State> states; ///< of each warp, as they are remembered
        struct Poll {
            const Warp* warp;
            uint32_t mask;    ///< lanes
            std::string text; ///< "asks again and again for flag[2], which is 0"
            bool grid_barrier;
        };
        std::vector<Poll> polls; ///< what note_polls() has seen
    };

    void admit();
    void start(uint64_t linear);
    Dim3 index_of(uint64_t linear) const;         ///< of the block that is started as this one
    uint64_t number_of(const Dim3& index) const { ///< Block::linear
        return index.x + uint64_t{config.grid.x} * (index.y + uint64_t{config.grid.y} * index.z);
    }
    bool start_held(); ///< starts clusters that were held back so that they can be cancelled; false: there were none
    bool run_block(Block& block);
    bool force(Wait::Kind kind); ///< lets all waits of that kind go on although their condition does not hold; false:
                                 ///< there is none
    bool run_warp(Warp& warp, uint32_t budget);
    Outcome stuck(const std::string& table);
    const Fragment* lock_in_warp(Warp*& warp) const;
    bool spinning();                           ///< threads run, and nothing can ever change
    Outcome endless(const std::string& table); ///< what to say then
    const Spin::Poll* poll_of(const Warp& warp, uint32_t mask) const;
    Turn no_progress();       ///< nothing can run
    void leave();             ///< all blocks end
    void leave(Block& block); ///< tells those who listen
    uint64_t effects() const { return activity + beside.activity; }
    std::string waits_for(const Block& block, const Warp& warp, const Fragment& fragment) const;
    friend LockSpin spin_on_lock(const Grid&, const Warp&, uint32_t mask);

    std::unique_ptr<BlockAsync> (*const asynchronous_units_)(Block&);
    std::map<uint64_t, ClusterBarrier> cluster_barriers_;
    uint64_t next_block_ = 0, block_count_ = 0;
    bool is_part_ = false;
    std::vector<Stay> stays_;
    uint32_t limit_ = 1; ///< resident blocks at most
    uint32_t held_ = 0;  ///< with launch control: start only so many for now; 0: as many as there is room for
    Outcome outcome_;
    Polls polls_;
    uint64_t last_effects_ = 0, active_at_ = 0; ///< the last effect, and the cycle of it
    uint64_t forced_effects_ = UINT64_MAX;      ///< effects() when waits were last forced
    uint32_t forced_ = 0;                       ///< times in a row
    Spin spin_;
};

} // namespace sim::machine
