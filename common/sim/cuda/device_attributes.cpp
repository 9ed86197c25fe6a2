#include "sim/cuda/device_attributes.h"

#include <cuda_runtime_api.h>

namespace sim::cuda {

std::string device_name(const machine::Properties& device) {
    return "asynclab simulated sm_" + std::to_string(device.sm);
}

int device_attribute(const machine::Properties& device, int attribute) {
    const auto number = [](auto value) { return static_cast<int>(value); };
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
        return number(device.max_threads_per_block);
    case cudaDevAttrMaxBlockDimX:
        return number(device.max_block.x);
    case cudaDevAttrMaxBlockDimY:
        return number(device.max_block.y);
    case cudaDevAttrMaxBlockDimZ:
        return number(device.max_block.z);
    case cudaDevAttrMaxGridDimX:
        return number(device.max_grid.x);
    case cudaDevAttrMaxGridDimY:
        return number(device.max_grid.y);
    case cudaDevAttrMaxGridDimZ:
        return number(device.max_grid.z);
    case cudaDevAttrMaxSharedMemoryPerBlock:
        return number(device.shared_per_block);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        return number(device.shared_per_block_optin);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        return number(device.shared_per_sm);
    case cudaDevAttrReservedSharedMemoryPerBlock:
        return number(device.reserved_shared_per_block);
    case cudaDevAttrTotalConstantMemory:
        return 65536;
    case cudaDevAttrWarpSize:
        return number(device.warp_size);
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        return number(device.registers_per_sm);
    case cudaDevAttrMultiProcessorCount:
        return number(device.sm_count);
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        return number(device.max_threads_per_sm);
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        return number(device.max_blocks_per_sm);
    case cudaDevAttrComputeCapabilityMajor:
        return number(device.sm / 10);
    case cudaDevAttrComputeCapabilityMinor:
        return number(device.sm % 10);
    case cudaDevAttrMaxPitch:
        return 2147483647;
    case cudaDevAttrClockRate:
        return 1700000;
    case cudaDevAttrMemoryClockRate:
        return 2600000;
    case cudaDevAttrGlobalMemoryBusWidth:
        return 5120;
    case cudaDevAttrL2CacheSize:
        return 50 << 20;
    case cudaDevAttrTextureAlignment:
    case cudaDevAttrSurfaceAlignment:
        return 512;
    case cudaDevAttrTexturePitchAlignment:
        return 32;
    case cudaDevAttrAsyncEngineCount:
        return 3;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
        return 2;
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrComputePreemptionSupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrMemoryPoolsSupported:
        return 1;
    case cudaDevAttrClusterLaunch:
        return device.sm >= 90;
    default: // textures, surfaces, interoperation: not here
        return 0;
    }
}

} // namespace sim::cuda
