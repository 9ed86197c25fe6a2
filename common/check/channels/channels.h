// The kinds of runs: one file each.
#pragma once

#include <memory>

#include "check/channel.h"

namespace check {

/// The simulated device, and the program in a box.
std::unique_ptr<Channel> simulated(const RunConfig& config);

/// A GPU that only the checker uses, and the program in a box.
std::unique_ptr<Channel> on_gpu(const RunConfig& config);

/// The program under RunConfig::under, with NVIDIA's runtime. Its results are not looked at.
std::unique_ptr<Channel> alone(const RunConfig& config);

/// No program: what it asked of the device is asked again, while the random values that the checker puts into buffers
/// are others, sizes and numbers the same. The program had no way of knowing them, so a result that fits them comes
/// from kernels alone: not from the host, nor from what was remembered or known beforehand.
std::unique_ptr<Channel> repeat(const RunConfig& config, const Recorded& recording);

} // namespace check
