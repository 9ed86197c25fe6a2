// How far the kernels have come, for those who watch from another thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace sim::machine {

/// Thread-instructions that all simulated devices of this process have executed.
inline std::atomic<uint64_t> executed_so_far = 0;
/// Launches of which several processes have executed parts.
inline std::atomic<uint64_t> divided_so_far = 0;

} // namespace sim::machine
