// A running grid: which blocks are resident, who runs next.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "sim/events/listener.h"
#include "sim/machine/block.h"
#include "sim/machine/gpu.h"
#include "sim/memory/global_memory.h"

namespace sim::machine {

class LoadedModule;

class Grid {
  public:
    Grid(const Options&, memory::GlobalMemory&, const Kernel&, const LaunchConfig&,
         std::span<const std::byte> parameters, events::Listener*,
         std::unique_ptr<BlockAsync> (*asynchronous_units)(Block&));
    ~Grid();

    Outcome run();

    const Options& options;
    memory::GlobalMemory& memory;
    const Kernel& kernel;
    const LaunchConfig& config;
    events::Listener* listener; ///< nullptr: nobody listens
    DecodedFunction* entry = nullptr;
    std::vector<std::byte> parameters;
    uint64_t parameter_address = 0; ///< device address of the parameter block, for taking a parameter's address
    uint64_t id = 0;                ///< %gridid
    uint64_t next_bulk = 1;         ///< number of the next bulk copy that the listener is told of
    uint32_t next_mbarrier = 1;     ///< id of the next mbarrier
    uint64_t workspace = 0;         ///< device address of a cooperative grid's barrier
    Statistics statistics;
    uint64_t cycles = 0;   ///< warp instructions executed so far: the modelled clock
    uint64_t activity = 0; ///< grows with every effect (stores, arrivals, completions, exits); stands still in deadlock
    std::mt19937_64 random;
    uint32_t shared_bytes = 0;                         ///< per block, static and dynamic
    std::vector<std::vector<WarpStorage>> spare_warps; ///< of ended blocks, by number in the block
    std::vector<std::unique_ptr<Block>> resident;
    uint32_t blocks_per_cluster = 1;

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
    void admit();
    void start(uint64_t linear);
    bool run_block(Block& block);
    bool force(Wait::Kind kind); ///< lets all waits of that kind go on without what they wait for; false: there is none
    bool run_warp(Warp& warp, uint32_t budget);
    Outcome stuck();
    bool spinning();   ///< threads run, and nothing can ever change
    Outcome endless(); ///< what to say then
    std::string waits_for(const Block& block, const Warp& warp, const Fragment& fragment) const;
    std::string waiting_table() const;

    std::unique_ptr<BlockAsync> (*const asynchronous_units_)(Block&);
    std::map<uint64_t, ClusterBarrier> cluster_barriers_;
    uint64_t next_block_ = 0, block_count_ = 0;
    uint32_t limit_ = 1; ///< resident blocks at most
    Outcome outcome_;
    struct Spin {
        uint64_t activity = 0, since = 0; ///< cycles
        uint64_t hash = 0;
        uint32_t steps = 0;
        std::vector<uint64_t> instructions; ///< of each warp, when `hash` was taken
    } spin_;
};

} // namespace sim::machine
