// What becomes of the bytes that asynchronous copies bring to shared memory, in numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sim::provenance {

struct Range {
    uint64_t address = 0, bytes = 0;
};

/// What is followed: copies from `inputs`. If `results` are given, a byte is used only if a result depends on it: the
/// device then also follows values through registers and memory, which takes time.
struct Followed {
    std::vector<Range> inputs, results;
};

/// How bytes move; a copy can be several of these.
enum class Means : uint8_t {
    cp_async,
    bulk,       ///< cp.async.bulk, without a tensor map
    tensor,     ///< cp.async.bulk.tensor
    swizzled,   ///< through a tensor map that swizzles
    device_map, ///< through a tensor map whose address tensormap.replace has set, to an address in the same range
    multicast,  ///< to more than one block
    peer,       ///< from the shared memory of one block to that of another
    count
};
constexpr size_t means_count = size_t(Means::count);

struct Moved {
    uint64_t copied = 0; ///< bytes that copies brought to shared memory
    uint64_t used = 0;   ///< of these: read there by threads, matrix instructions or bulk stores, before a refill
};

/// How far copies run ahead of the waits for them: of one kind of copies, in all warps or blocks. The waits of the
/// first lap are left out, because the prologue fills it whatever follows, and so are those of the last one, because
/// nothing is left to copy then. Meaningful where copies complete as late as possible: a phase completes only when no
/// thread can go on without it, so its producer has run as far ahead by then as the synchronisation lets it, whatever
/// the schedule.
struct Ahead {
    uint64_t waits = 0; ///< that were looked at
    uint64_t in_flight =
        0;               ///< groups or phases in flight when they began, the awaited one among them: sum of all waits
    uint64_t held = 0;   ///< phases whose bytes products in flight still read then: sum of all waits
    uint64_t reads = 0;  ///< waits after which a thread read what the copies had brought
    uint64_t beside = 0; ///< of these: most of it was read beside a later group, or some beside a later phase
    uint32_t ring = 0;   ///< phases: most mbarriers that a block uses for such copies
    /// One warp's or block's longest run of waits with nothing in flight but what they waited for, from 0.
    uint32_t alone_from = 0, alone_to = 0;
    bool alone = false; ///< there is one
    uint32_t own_line =
        0; ///< where a thread waits for the copies that it issued last, and then issues more; 0: nowhere
    uint32_t own_warp = 0; ///< whose
};

/// What becomes of the sums in Tensor Memory: loads of them, and stores of results after such loads. `..._beside`: how
/// much of it the products of the next tile are not ordered after. The last tile of a block is left out.
struct Epilogue {
    uint64_t loads = 0, loads_beside = 0;   ///< in cells
    uint64_t stores = 0, stores_beside = 0; ///< in bytes
    uint64_t work = 0;                      ///< M * N of all tcgen05.mma
    uint64_t paired = 0;                    ///< of these: by pairs of blocks
    uint64_t drained = 0; ///< of these, but for a warp's first: issued when it had waited for all that it had issued
};

/// How the warpgroups of a block take turns at the tensor cores.
struct Turns {
    uint64_t products = 0; ///< wgmma
    uint64_t changes = 0;  ///< of these: issued by another warpgroup than the block's one before
    uint64_t taken = 0;    ///< of these: the warpgroup's first after it has waited at a barrier of the block
    uint64_t meetings = 0; ///< times that threads of several warpgroups waited at a barrier for each other
};

/// What setmaxnreg and wgmma do to the registers of warps.
struct RegisterUse {
    uint32_t raised = 0, lowered = 0; ///< warps whose last setmaxnreg is .inc, .dec
    uint32_t left = 0, sums = 0; ///< a thread with `left` registers keeps `sums` accumulators in registers; 0: none
    uint32_t line = 0;           ///< of the setmaxnreg that leaves too few
};

/// Of the copies from the ranges that are followed.
struct Flow : Moved {
    /// Most groups of cp.async that a warp had in flight (committed, not waited for) when it read what others had
    /// brought. A group counts if at least half as many of its bytes are used as of the warp's best group.
    uint32_t groups = 0;
    /// Most phases of mbarriers of one block, measured in the same way: the one whose bytes were being read, and those
    /// whose copies had been issued while no thread had yet waited for them with success.
    uint32_t stages = 0;
    Ahead groups_ahead{}, stages_ahead{}; ///< of the same groups and phases
    RegisterUse registers{};              ///< where results are given
    Epilogue epilogue{};                  ///< its stores: where results are given
    Turns turns{};
    std::array<Moved, means_count> by{}; ///< the copies that are of this kind; `peer`: those between blocks

    // Where results are given, in bytes:
    uint64_t inputs = 0;              ///< of the followed ranges
    uint64_t results = 0;             ///< that kernels wrote
    uint64_t dependent = 0;           ///< of these: their last write depends on what copies brought
    uint64_t multiplied = 0;          ///< of these: through a matrix instruction
    uint64_t multiplied_in_place = 0; ///< of these: one that read operands in shared memory, where they landed
    std::array<uint64_t, means_count> stored{}; ///< of these: the last write was a copy of this kind
    /// Bytes that kernels read from other global memory, where kernels had put what copies brought, and the sums that
    /// matrix instructions made of it.
    uint64_t reloaded = 0, reloaded_products = 0;

    const Moved& operator[](Means means) const { return by[size_t(means)]; }
};

} // namespace sim::provenance
