// A real GPU behind the requests of a program's CUDA runtime: the driver API, in the checker's process. The program is
// trusted in nothing: sizes, addresses and handles are checked before the driver sees them. A kernel can reach all
// memory of this process that the GPU can reach, as kernels do: what it may gain that way, points for hazards and
// mechanisms, it does not get here but on the simulated device.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "check/device.h"

namespace check::gpu {

/// What there is to know about the GPU without using it.
struct Info {
    std::string name;          ///< "NVIDIA H100 80GB HBM3"
    int cuda = 0;              ///< the newest CUDA that the driver knows: 13000
    int sm = 0, sm_count = 0;  ///< 90, 132
    double peak_bandwidth = 0; ///< of its memory, bytes per second
    uint64_t l2_bytes = 0;
};
/// The first GPU. Initialises the driver in this process, which must not fork any more; throws NoGpu.
Info info();

struct Options {
    uint32_t sms = 0;           ///< what the program is told that the GPU has, if it has more; 0: the truth
    uint32_t blocks_per_sm = 0; ///< kernels get so much more shared memory that no more fit; 0: what they ask for
    std::atomic<bool>* interrupt = nullptr; ///< set: who waits for the GPU gives up, and the device is lost
};

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
/// The first GPU. A process may open one after the other until one is lost. Throws NoGpu.
std::unique_ptr<GpuDevice> open(const Options& options);

} // namespace check::gpu
