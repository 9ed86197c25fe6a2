// A real GPU: its properties, and how to use it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace sim::cuda::gpu {

/// The properties that can be read without using the GPU.
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
    uint32_t sms = 0;                       ///< SM count reported to the program, capped at the real one; 0: no cap
    uint32_t blocks_per_sm = 0;             ///< kernels get so much extra shared memory that no more fit; 0: no extra
    std::atomic<bool>* interrupt = nullptr; ///< set: a thread that waits for the GPU gives up, and the device is lost
};

} // namespace sim::cuda::gpu
