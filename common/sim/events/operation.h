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
};

} // namespace sim::events
