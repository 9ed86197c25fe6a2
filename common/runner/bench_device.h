// The loops of `./lab bench device`, which times the simulated device.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/device/device.h"

namespace runner {

/// bench/NAME.cu has one kernel, `extern "C" __global__ void bench(uint32_t* data, uint32_t n)`.
struct DeviceLoop {
    std::string_view name;
    sim::machine::LaunchConfig config;
    uint32_t n;       ///< the kernel's second parameter: rounds
    uint32_t sm = 90; ///< compiled for its "a" features
};

const std::vector<DeviceLoop>& device_loops();

/// Thread-instructions per second of processor time: the best of several launches. Throws Problem when one fails.
double time_loop(const DeviceLoop& loop, const std::string& ptx, bool detect, int launches = 3);

} // namespace runner
