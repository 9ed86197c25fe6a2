// The device's counters for one launch. Checkers use them to see that a mechanism was really used.
#pragma once

#include <cstdint>

namespace sim::machine {

struct Statistics {
    uint64_t thread_instructions = 0;
    uint64_t warp_instructions = 0;
    // bytes moved by each path
    uint64_t global_load_bytes = 0, global_store_bytes = 0;
    uint64_t shared_load_bytes = 0, shared_store_bytes = 0;
    uint64_t atomic_bytes = 0; ///< atom, red: in global or shared memory
    uint64_t staged_bytes = 0; ///< global -> register -> shared: values loaded from global memory and stored to shared
    uint64_t cp_async_bytes = 0;
    uint64_t bulk_load_bytes = 0, bulk_store_bytes = 0;     ///< cp.async.bulk, 1D
    uint64_t tensor_load_bytes = 0, tensor_store_bytes = 0; ///< cp.async.bulk.tensor
    uint64_t multicast_bytes = 0;    ///< of the loads: by multicast, in all receiving blocks but the first
    uint64_t peer_copy_bytes = 0;    ///< cp.async.bulk from shared memory into that of a block of the cluster
    uint64_t gathered_bytes = 0;     ///< of the tensor bytes: by .tile::gather4 and .tile::scatter4
    uint64_t swizzled_bytes = 0;     ///< of the tensor bytes: through maps that swizzle
    uint64_t global_map_bytes = 0;   ///< of the tensor bytes: through maps in global memory
    uint64_t map_replacements = 0;   ///< tensormap.replace, each thread's
    uint64_t cancelled_clusters = 0; ///< by clusterlaunchcontrol.try_cancel: others have taken over their work
    uint32_t max_swizzle_span = 0;   ///< 32, 64 or 128 bytes
    uint64_t evict_first_bytes = 0, evict_last_bytes = 0; ///< of the bulk and tensor bytes: with such a cache policy
    // overlap
    uint64_t instructions_under_copies = 0;  ///< thread-instructions executed while the thread had copies in flight
    uint64_t issue_to_wait_instructions = 0; ///< summed over waits: warp instructions between issue and the wait
    uint64_t waits = 0;
    uint32_t max_copy_groups = 0;      ///< most of a thread's groups of cp.async pending after a wait
    uint32_t max_matrix_groups = 0;    ///< most groups of wgmma pending after a wait
    uint32_t max_phases_in_flight = 0; ///< most mbarriers of one block with a copy outstanding at once
    uint64_t block_barriers = 0, mbarrier_arrives = 0, mbarrier_waits = 0;
    uint64_t dependency_waits = 0, dependent_triggers = 0; ///< griddepcontrol: warp instructions
    /// Blocks of which every such trigger is ordered after a wait; without a trigger, the end of the block counts.
    uint64_t triggered_after_wait = 0;
    /// Summed over these: how many instructions the warp had executed before.
    uint64_t instructions_before_waits = 0, instructions_before_triggers = 0;
    uint64_t shared_bank_cycles = 0, shared_accesses = 0; ///< bank cycles / accesses = mean conflict degree

    /// Those of another launch, or of another part of it: sums, and the greater ones of what is named max_….
    Statistics& operator+=(const Statistics& more);
};

} // namespace sim::machine
