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

/// Of the copies from the ranges that are followed.
struct Flow : Moved {
    /// Most groups of cp.async that a warp had in flight (committed, not waited for) when it read what others had
    /// brought. A group counts if at least half as many of its bytes are used as of the warp's best group.
    uint32_t groups = 0;
    /// Most phases of mbarriers of one block, measured in the same way: the one whose bytes were being read, and those
    /// whose copies had been issued while no thread had yet waited for them with success.
    uint32_t stages = 0;
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
