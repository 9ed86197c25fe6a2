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

/// Needs no program: repeats the requests that a program made of the device, with other random values in the checker's
/// buffers but the same sizes and numbers. The program could not know those values, so a result that fits them was
/// computed by kernels alone, not by the host and not from remembered or expected values.
std::unique_ptr<Channel> repeat(const RunConfig& config, const Recorded& recording);

} // namespace check
