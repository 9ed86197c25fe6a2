#include "sim/cuda/device/gpu/driver.h"
#include "sim/cuda/device/gpu/options.h"

namespace sim::cuda::gpu {

Info info() {
    const Driver& cu = driver();
    Info all;
    CUdevice device = 0;
    char name[256] = "";
    cu.cuDeviceGet(&device, 0);
    cu.cuDeviceGetName(name, sizeof name, device);
    cu.cuDriverGetVersion(&all.cuda);
    all.name = name;
    all.sm = 10 * attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
             attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    all.sm_count = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    all.l2_bytes = static_cast<uint64_t>(attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
    // Two transfers in a cycle of the memory's clock, which is given in kHz; the width of the bus is given in bits.
    all.peak_bandwidth = 2e3 * attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) *
                         attribute(device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8;
    return all;
}

} // namespace sim::cuda::gpu
