// What becomes of the bytes that asynchronous copies bring to shared memory, in numbers.
#pragma once

#include <cstdint>

namespace sim::provenance {

struct Range {
    uint64_t address = 0, bytes = 0;
};

/// Of the copies from the ranges that are followed.
struct Flow {
    uint64_t copied = 0; ///< bytes that they brought to shared memory
    uint64_t used = 0;   ///< of these: read there by threads, matrix instructions or bulk stores, before a refill
    /// Most groups of cp.async that a warp had in flight (committed, not waited for) when it read what others had
    /// brought. A group counts if at least half as many of its bytes are used as of the warp's best group.
    uint32_t groups = 0;
    /// Most phases of mbarriers of one block, measured in the same way, whose copies had been issued while no thread
    /// had yet waited for them with success.
    uint32_t stages = 0;
};

} // namespace sim::provenance
