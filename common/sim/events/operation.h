// Host operations (copies, sets, launches) as happens-before sees them.
#pragma once

#include <cstdint>
#include <vector>

namespace sim::events {

/// Identifies one host operation. Ids grow in the order of execution.
using OperationId = uint64_t;

/// What an operation is ordered after: everything executed before it, except the operations listed.
struct Order {
    std::vector<OperationId> unordered; ///< sorted
    /// Sorted; none of `unordered`. The launch was made dependent on these (programmatic dependent launch): its threads
    /// are ordered after them only when they have waited (griddepcontrol.wait).
    std::vector<OperationId> until_wait = {};
    /// Everything that was executed before is ordered before all that can still run.
    bool fresh = true;
    /// Nothing that can still run is unordered with the operation.
    bool alone = true;
};

} // namespace sim::events
