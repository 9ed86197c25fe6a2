// What only the program's own side can see: misuse of host memory that copies use, and calls
// that fail.
#pragma once

#include <cstdint>

namespace sim::events {

enum class HostMisuse : uint32_t {
    read_before_sync,
    write_before_sync,
    free_while_in_use,
    pageable_copy,
    staged_too_early,            ///< pageable memory, before a function that writes it
    failed_call,                 ///< and the program has not looked at its error
    failed_call_looked_at,       ///< it looks at the result
    failed_call_looked_at_later, ///< what has been reported as `failed_call`: it has looked at the last error
    device_pointer,              ///< the host dereferences one
    freed_memory,                ///< the host accesses pinned memory that has been freed
    count,
};

} // namespace sim::events
