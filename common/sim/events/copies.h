// Asynchronous copies and mbarriers as listeners see them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/memory/allocation.h"

namespace sim::machine {
class Block;
}

namespace sim::events {

using Lanes = std::array<uint32_t, 32>;

/// One cp.async of a warp.
struct CopyIssue {
    uint32_t mask = 0;
    uint32_t index = 0;                     ///< the warp's copies in issue order, from 1
    const uint64_t* destination = nullptr;  ///< [32] shared offsets in the own block
    const uint64_t* source = nullptr;       ///< [32] global addresses
    uint32_t bytes = 0;                     ///< cp-size
    const uint32_t* source_bytes = nullptr; ///< [32] src-size; 0: the source is not read
};

/// Contiguous bytes of a bulk copy.
struct BulkBytes {
    uint64_t address = 0; ///< in global memory, or an offset in the source block's shared memory
    uint32_t offset = 0;  ///< in shared memory
    uint32_t bytes = 0;
    bool inside = true; ///< false: outside the tensor, no global memory is touched
};

/// One initialisation of an mbarrier (an address may be used again).
struct Mbarrier {
    uint32_t id = 0;                          ///< unique in its launch, from 1
    uint32_t phase = 0;                       ///< phases completed
    uint32_t count = 0;                       ///< arrivals in a phase, as initialised
    bool expects = false;                     ///< bytes, in the current phase
    uint64_t expected_before = 0;             ///< bytes, in the phase before
    machine::Block* owner = nullptr;          ///< the block whose shared memory contains it
    uint32_t offset = 0;                      ///< in that memory
    std::unique_ptr<memory::Attachment> kept; ///< by the hazard detector
};

/// The tensor map of a copy.
struct MapUse {
    bool used = false;             ///< false: the copy has none
    uint32_t swizzle = 0;          ///< its span in bytes; 0: none
    uint64_t address = 0;          ///< the tensor's
    bool address_replaced = false; ///< by tensormap.replace
};

/// A copy, or an asynchronous store, that completes on an mbarrier.
struct BulkLoad {
    uint64_t number = 0; ///< of all bulk copies of the device, in issue order
    int lane = 0;        ///< that issues it
    machine::Block* destination = nullptr;
    machine::Block* source = nullptr; ///< whose shared memory is read; nullptr: global memory, or a register
    std::span<const BulkBytes> bytes;
    const Mbarrier* barrier = nullptr;
    bool reduction = false;
    bool from_register = false; ///< st.async, red.async: a write through the generic proxy, without a source
    uint32_t index = 0;         ///< as BulkStore::index, if it reads a tensor map; else 0
    bool multicast = false;     ///< it is one of several that an instruction issues, one to each block
    MapUse map{};
};

/// A copy from the executing block's shared memory to global memory, in a bulk async-group of its thread.
struct BulkStore {
    uint64_t number = 0; ///< of all bulk copies of the device, in issue order
    int lane = 0;
    std::span<const BulkBytes> bytes;
    uint32_t index = 0; ///< the warp's bulk stores and tile loads in issue order, from 1
    bool reduction = false;
    MapUse map{};
};

/// A matrix in shared memory that a wgmma.mma_async reads.
struct MatrixOperand {
    char name = 'A';
    std::vector<BulkBytes> bytes;              ///< what it reads; only `offset` and `bytes` count
    uint32_t swizzle = 0;                      ///< the descriptor's swizzle span in bytes; 0: none
    uint32_t base_offset = 0, base_period = 1; ///< of the descriptor; rows of 128 bytes after which the swizzle repeats
};

/// A wgmma.mma_async that all warps of a warpgroup have reached.
struct MatrixIssue {
    uint64_t number = 0;     ///< of all bulk copies of the device, in issue order
    uint32_t first_warp = 0; ///< of the warpgroup
    uint32_t index = 0;      ///< the warpgroup's operations in issue order, from 1
    std::span<const MatrixOperand> operands;
};

/// wgmma.wait_group by a warp.
struct MatrixWait {
    uint32_t first_warp = 0;            ///< of its warpgroup
    uint32_t done = 0;                  ///< operations up to this one are complete
    uint32_t n = 0;                     ///< the wait's N
    uint32_t issued = 0, committed = 0; ///< operations so far; those in committed groups
};

} // namespace sim::events
