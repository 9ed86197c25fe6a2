// A real GPU: what there is to know about it, and how it is to be used.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace sim::cuda::gpu {

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
    std::atomic<bool>* interrupt = nullptr; ///< set: whoever waits for the GPU gives up, and the device is lost
};

} // namespace sim::cuda::gpu
