// Host operations (copies, sets, launches) as happens-before sees them.
#pragma once

#include <cstdint>
#include <vector>

namespace sim::events {

/// Identifies one host operation. Ids grow in the order of execution.
using OperationId = uint64_t;

/// A call of the program, by the number that the program gave it; 0: not known. The program says on demand which line
/// it is in.
using CallSite = uint32_t;

/// A wait for an event that would have ordered the operation `id`, had the event been recorded otherwise.
struct LostWait {
    enum class Why : uint8_t {
        recorded_again, ///< the record behind that operation was replaced by a later one, before the wait
        recorded_later, ///< the event was recorded behind that operation only after the wait
        never_recorded, ///< when the wait was enqueued, nor later
    };
    OperationId id;
    Why why;
    CallSite wait = 0, record = 0, again = 0; ///< recorded_again: the two records
};

/// What an operation is ordered after: everything executed before it, except the operations listed.
struct Order {
    std::vector<OperationId> unordered; ///< sorted
    /// Sorted; none of `unordered`. The launch was made dependent on these (programmatic dependent launch): its threads
    /// are ordered after them only when they have waited (griddepcontrol.wait).
    std::vector<OperationId> until_wait = {};
    /// Sorted, some of `until_wait`: a launch between them and this one has let this one start, and was perhaps not
    /// ordered after them itself by then.
    std::vector<OperationId> passed_on = {};
    /// Everything that was executed before is ordered before all that can still run.
    bool fresh = true;
    /// Nothing that can still run is unordered with the operation.
    bool alone = true;
    CallSite site = 0;    ///< the call that issued the operation
    bool by_host = false; ///< the program itself accesses memory that it shares with the device
    bool to_host = false; ///< a copy to memory of the host
    /// Sorted, some of `unordered`: copies from pageable memory that the host has called and that only in practice are
    /// complete when the call returns.
    std::vector<OperationId> staged = {};
    std::vector<LostWait> lost_waits = {};
};

} // namespace sim::events
