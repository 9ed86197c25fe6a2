// Misuse that an instruction recognises by itself, without a second access: facts with their numbers. rules/ decides
// which rule names one, and words it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace sim::events {

/// The launch, or these threads, cannot go on. `what` is also the text of the launch's error.
struct Stopped {
    enum class Why : uint8_t {
        out_of_bounds,
        freed_memory,
        read_only_memory,
        misaligned_access,
        lanes_missing, ///< of a warp, at a barrier or another .sync instruction
        endless_loop,
        deadlock,
    };
    /// What stopped, where the remedy depends on it.
    enum class Of : uint8_t {
        other,
        tile,
        warp_collective,
        lock_in_warp,
        flag,
        grid_barrier,
        host_memory,
        no_such_block
    };
    Why why;
    std::string what;
    Of of = Of::other;
    uint32_t allocated_at = 0, freed_at = 0; ///< calls (CallSite): where the memory that has been freed was; 0: unknown
    uint32_t launched_at = 0;                ///< and the kernel
};

// --- mbarriers ------------------------------------------------------------------------------------------------------

/// mbarrier.init with a count that no mbarrier can have.
struct BarrierCountOutOfRange {
    uint32_t count, most;
};
/// mbarrier.init of an object that is in use.
struct LiveBarrierInitialised {
    std::string name; ///< of the mbarrier, here and below: "full[1]"
};
/// There is no mbarrier at the address. `ended_at`: where the last one was invalidated; empty: there never was one.
struct BarrierMissing {
    std::string name;
    std::string ended_at;
    bool in_peer; ///< the address is in the shared memory of another block of the cluster
};
/// An arrival on a phase that lacks none.
struct ArrivalTooMany {
    std::string name;
    uint32_t expected; ///< arrivals in a phase
    uint32_t made;     ///< so far
    uint64_t more;     ///< that come now
    int64_t tx;        ///< the phase's tx-count, bytes
    uint32_t id;       ///< events::Mbarrier::id
};
/// Lanes of one instruction are more than a phase expects.
struct LanesArriveTogether {
    std::string name;
    uint32_t lanes, expected;
};
/// A tx-count beyond its range.
struct TxCountOutOfRange {
    std::string what; ///< also the text of the launch's error
};
/// A wait with the token of a phase that cannot be asked for any more.
struct OldToken {
    uint64_t token_phase, phase;
};

// --- copies ---------------------------------------------------------------------------------------------------------

struct MisalignedCopy {
    enum class Part : uint8_t { address, address_or_size, shared_address, inner_coordinate };
    Part part;
    std::string what; ///< also the text of the launch's error
};
struct SourceSizeTooLarge {
    uint32_t copy_bytes, source_bytes;
};

// --- tensor maps ----------------------------------------------------------------------------------------------------

struct MapInLocalMemory {
    std::string what; ///< also the text of the launch's error
};
struct InvalidMap {
    enum class Part : uint8_t { no_map, rank, contents, replaced_field };
    Part part;
    std::string what; ///< also the text of the launch's error
};
struct NegativeStoreStart {
    std::string what; ///< also the text of the launch's error
};
struct OutsidePixelBox {
    std::string what; ///< also the text of the launch's error
};

// --- wgmma ----------------------------------------------------------------------------------------------------------

/// Not all warps of a warpgroup execute one wgmma.mma_async, or not the same one.
struct WarpgroupIncomplete {
    std::string what; ///< also the text of the launch's error
};
/// A register of a wgmma.mma_async that is not known to be complete.
struct MatrixRegisterTouched {
    enum class Wait : uint8_t { none, before_commit, leaves_pending };
    bool fragment;     ///< of A, and written; else an accumulator, and read
    Wait wait;         ///< the warp's wait since the operation was issued
    uint32_t n;        ///< leaves_pending: the N of that wgmma.wait_group
    std::string there; ///< the operation: "kernel.cu:41"
};
/// A wgmma.mma_async without a wgmma.fence before it.
struct MatrixFenceMissing {
    bool first;        ///< the warp has not executed any yet
    std::string there; ///< else: where a register of the operation was written last
};
/// A descriptor reads shared memory in another arrangement than the bulk copy that wrote it.
struct DescriptorMismatch {
    char operand;             ///< 'A' or 'B'
    uint32_t descriptor, map; ///< swizzle spans in bytes; 0: none
    uint32_t base_offset;     ///< where the spans agree
    std::string there;        ///< the copy
};
/// An operand begins in a tile that has been waited for, and goes on behind its end, in bytes of another copy.
struct OperandBeyondTile {
    char operand;    ///< 'A' or 'B'
    uint64_t behind; ///< bytes from its first byte to the first of the other copy
};
/// The warps of a warpgroup pass different descriptors.
struct DescriptorsDiffer {
    char operand;
};

// --- tcgen05 --------------------------------------------------------------------------------------------------------

/// A descriptor, or an address in Tensor Memory, asks for a product or a copy that does not exist.
struct TensorDescriptorWrong {
    std::string what; ///< also the text of the launch's error
};

/// The warps of a block ask for more registers than its launch can have.
struct RegistersMissing {
    uint64_t wanted;     ///< by all its warps, after their last setmaxnreg
    uint32_t threads;    ///< of the block
    uint32_t per_thread; ///< that the launch has given at most
};

// --- Tensor Memory --------------------------------------------------------------------------------------------------

/// An allocation that is not legal, or its end.
struct TensorAllocationWrong {
    enum class What : uint8_t {
        columns,      ///< not a power of two from 32 to 512
        grown,        ///< more columns than the allocation before
        relinquished, ///< after tcgen05.relinquish_alloc_permit
        no_peer,      ///< .cta_group::2 without a second block
        peer_differs, ///< the two warps of a pair do not ask for the same
        unknown,      ///< freed: no allocation begins there
        other_size,   ///< freed with another number of columns
        peer_unready, ///< freed for a pair, and nothing orders the other block's allocation before that
    };
    What what;
    std::string text; ///< also the text of the launch's error, if it fails
};
/// Cells that the instruction may not touch.
struct TensorCellsWrong {
    enum class What : uint8_t {
        quarter,      ///< lanes of another warp of the warpgroup
        lane_missing, ///< the same, and the address names lane 0: its lane field was left out
        unallocated,
        freed,   ///< allocated once
        outside, ///< beyond the last lane or column
    };
    What what;
    std::string text; ///< also the text of the launch's error, if it fails
};

// --- warps ----------------------------------------------------------------------------------------------------------

/// Lanes execute a .sync instruction whose member mask does not name them.
struct LaneNotInMask {
    uint32_t lane;   ///< the first of them
    uint32_t member; ///< its mask
    std::string instruction;
    std::string what; ///< also the text of the launch's error
};
/// A lane has used what a shuffle brought from a lane that takes no part in it.
struct ShuffledFromNobody {
    enum class Why : uint8_t { never_existed, exited, not_a_member };
    Why why;
    uint32_t lane, from; ///< the lane that reads, and the one that it reads from
    uint32_t member;
    uint32_t population; ///< lanes of the warp that exist
};
/// A .sync instruction whose member mask comes from activemask.
struct MaskOfTheMoment {
    bool barrier; ///< __syncwarp(); else a shuffle
};

/// A named barrier that does not exist, or a count that it cannot have.
struct NamedBarrierWrong {
    enum class Part : uint8_t { number, count, counts_differ, beyond_block };
    Part part;
    uint32_t id, count; ///< of threads
    uint32_t other;     ///< counts_differ: what the phase has counted so far; beyond_block: threads of the block
    std::string what;   ///< also the text of the launch's error
};

// --- clusterlaunchcontrol
// ---------------------------------------------------------------------------------------------

/// A request to cancel a cluster, or its response, is used as it must not be.
struct LaunchControlMisused {
    enum class What : uint8_t {
        request_after_failure, ///< the block has seen an earlier request fail
        block_of_failure,      ///< get_first_ctaid of the response to a request that has failed
        exited_peer,           ///< a multicast request, and a block of the cluster has exited
    };
    What what;
    bool same_warp = true; ///< request_after_failure: the warp that requests has itself seen it
    uint32_t rank = 0;     ///< exited_peer: that block
};

// --- worth knowing --------------------------------------------------------------------------------------------------

/// A tile with a swizzle starts inside of the swizzle's period.
struct SwizzleOffset {
    uint32_t span;   ///< bytes of a row that the swizzle permutes
    uint32_t past;   ///< bytes from the last multiple of the period to the tile
    uint32_t period; ///< bytes
};
/// Other warps wait for the same barrier at another line.
struct BarrierAtOtherLine {
    std::string there; ///< "kernel.cu:41"
};
struct BankConflict {
    uint32_t bytes; ///< per lane
    uint32_t words; ///< different ones in one bank
};

using Misuse = std::variant<Stopped, BarrierCountOutOfRange, LiveBarrierInitialised, BarrierMissing, ArrivalTooMany,
                            LanesArriveTogether, TxCountOutOfRange, OldToken, MisalignedCopy, SourceSizeTooLarge,
                            MapInLocalMemory, InvalidMap, NegativeStoreStart, OutsidePixelBox, WarpgroupIncomplete,
                            MatrixRegisterTouched, MatrixFenceMissing, OperandBeyondTile, DescriptorMismatch,
                            DescriptorsDiffer, TensorDescriptorWrong, RegistersMissing, TensorAllocationWrong,
                            TensorCellsWrong, LaneNotInMask, ShuffledFromNobody, MaskOfTheMoment, NamedBarrierWrong,
                            LaunchControlMisused, SwizzleOffset, BarrierAtOtherLine, BankConflict>;

} // namespace sim::events
