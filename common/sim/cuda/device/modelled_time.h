// How long work takes on the modelled device: latency plus bytes over bandwidth, in nanoseconds.
#pragma once

#include <cstdint>

namespace sim::cuda {

/// A copy between host and device: 25 GB/s.
constexpr uint64_t bus_time(uint64_t bytes) {
    return 4000 + bytes / 25;
}
/// A copy or a set inside the device's memory: 1.5 TB/s each way.
constexpr uint64_t memory_time(uint64_t bytes) {
    return 2000 + bytes / 1500;
}

} // namespace sim::cuda
