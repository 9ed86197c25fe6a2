// What only the program's own side can see: misuse of host memory that copies use.
#pragma once

#include <cstdint>

namespace sim::events {

enum class HostMisuse : uint32_t { read_before_sync, write_before_sync, free_while_in_use, pageable_copy, count };

} // namespace sim::events
