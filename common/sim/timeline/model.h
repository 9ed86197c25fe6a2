// The timing model: all of its parameters. The unit is the modelled cycle; docs/timeline.md explains each of them.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace sim::timeline {

/// The values are those of an H100; models/ has a file for each GPU.
struct Model {
    uint32_t schedulers = 4;     ///< of an SM; warp w issues through scheduler w % schedulers, an instruction per cycle
    uint32_t issue_interval = 1; ///< of a scheduler's time, an instruction at the full rate; see Chains
    uint32_t dependent = 4;      ///< from one instruction of a warp to one that needs its result
    uint32_t branch = 13;        ///< what a branch that is taken takes longer than other instructions
    uint32_t copy_issue = 3;     ///< a warp's cp.async, of any size; or a cycle for each line of 128 bytes, if more
    uint32_t copy_again = 10;    ///< from one cp.async of a warp to its next
    uint32_t latency = 674;      ///< from a request's turn at the memory pipe to its last byte, while it is idle
    /// The same while all SMs load at 50, 75 and 95 % of the bandwidth, and while they copy: half of that are stores.
    uint32_t latency_load_50 = 727, latency_load_75 = 823, latency_load_95 = 1052;
    uint32_t latency_copy_50 = 945, latency_copy_75 = 1234, latency_copy_95 = 2038;
    /// Until the last byte of 8 KiB is there that an SM requests at once, at these loads.
    uint32_t tile_load_50 = 1363, tile_load_75 = 1591, tile_load_95 = 2103;
    uint32_t tile_copy_50 = 1844, tile_copy_75 = 2657, tile_copy_95 = 4322;
    uint32_t cached = 39;             ///< of a load from bytes that the block has loaded before
    uint32_t shared = 29;             ///< of a load from shared memory
    uint32_t l2_latency = 243;        ///< of a load that finds its bytes in the L2 cache
    uint32_t mbarrier = 49;           ///< of the answer to a wait for an mbarrier
    uint32_t bytes_per_cycle = 11;    ///< of the memory pipe, an SM's share of the bandwidth
    uint32_t l2_bytes_per_cycle = 33; ///< that the L2 cache delivers to an SM while all of them load
    /// From a bulk store to its completion, and while all SMs copy at 95 % of the bandwidth.
    uint32_t store_latency = 145, store_latency_95 = 348;
    uint32_t mbarrier_arrival = 2;  ///< an mbarrier counts one warp after the other
    uint32_t barrier_arrival = 2;   ///< the barrier counts one warp after the other
    uint32_t barrier = 8;           ///< from the last arrival's turn at a barrier to the first instruction behind it
    uint32_t cluster_barrier = 751; ///< the same of a barrier of the cluster
    uint32_t wgmma_cells = 123;     ///< sums that wgmma updates in a cycle, each by products of 32 bytes
    uint32_t wgmma_latency = 193;   ///< from the end of an operation's turn at the tensor cores to its completion
    /// Not measured, since no B200 was at hand: the first from the published peak of a B200, the second assumed.
    uint32_t tensor_cells = 256;   ///< that the tensor core writes in a cycle, of an accumulator or by a copy
    uint32_t tensor_latency = 100; ///< from the end of an operation's turn at the tensor core to its completion
    uint32_t quantum = 16;         ///< instructions that a warp issues before others have their turn
    bool operator==(const Model&) const = default;
};

/// From {"name": value}: other parameters keep their values. Throws base::Problem for an unknown parameter or an
/// invalid value. `file` is for the message.
Model read_model(const nlohmann::json& json, const std::string& file);
nlohmann::json to_json(const Model& model);

} // namespace sim::timeline
