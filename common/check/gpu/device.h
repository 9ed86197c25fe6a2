// A real GPU behind the requests of a program's CUDA runtime (sim/cuda/device/gpu/real_gpu.h), as the checker uses it.
#pragma once

#include <memory>
#include <vector>

#include "check/device.h"
#include "sim/cuda/device/gpu/options.h"

namespace check::gpu {

using sim::cuda::gpu::Info;
using sim::cuda::gpu::info;
using sim::cuda::gpu::Options;

/// A GPU for one run of one case. Beside Device's, what measuring needs.
class GpuDevice : public Device {
  public:
    virtual void start_timing() = 0; ///< with the next copy, fill or launch
    virtual void stop_timing() = 0;  ///< behind the last one
    /// Seconds from each start to its stop; waits for the GPU.
    virtual std::vector<double> times() = 0;
    /// A copy inside the GPU's memory, as the program could ask for it.
    virtual void copy(uint64_t destination, uint64_t source, uint64_t bytes) = 0;
};
/// The first GPU. A process may open one after the other until one is lost. Throws std::runtime_error.
std::unique_ptr<GpuDevice> open(const Options& options);

} // namespace check::gpu
