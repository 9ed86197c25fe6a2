#include "sim/cuda/program/device_attributes.h"

#include <cuda_runtime_api.h>

namespace sim::cuda {

std::string device_name(const machine::Properties& device) {
    return "asynclab simulated sm_" + std::to_string(device.sm);
}

namespace {

// The same for every device that is simulated. Attributes that are in neither list are 0: textures, surfaces and
// interoperation are not here.
constexpr struct {
    cudaDeviceAttr attribute;
    int value;
} fixed[] = {
    {cudaDevAttrTotalConstantMemory, 65536},
    {cudaDevAttrMaxPitch, 2147483647},
    {cudaDevAttrTextureAlignment, 512},
    {cudaDevAttrSurfaceAlignment, 512},
    {cudaDevAttrTexturePitchAlignment, 32},
    {cudaDevAttrAsyncEngineCount, 3},
    {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrMemoryPoolsSupported, 1},
};

int fixed_attribute(int attribute) {
    for (const auto& known : fixed)
        if (known.attribute == attribute)
            return known.value;
    return 0;
}

} // namespace

bool names_architecture(int attribute) {
    return attribute == cudaDevAttrComputeCapabilityMajor || attribute == cudaDevAttrComputeCapabilityMinor ||
           attribute == cudaDevAttrClusterLaunch;
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
    case cudaDevAttrWarpSize:
        return number(device.warp_size);
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        return number(device.registers_per_sm);
    case cudaDevAttrMultiProcessorCount:
        return number(device.sm_count);
    case cudaDevAttrClockRate:
        return number(device.clock);
    case cudaDevAttrMemoryClockRate:
        return number(device.memory_clock);
    case cudaDevAttrGlobalMemoryBusWidth:
        return number(device.memory_bus ? device.memory_bus : 40 * device.sm_count);
    case cudaDevAttrL2CacheSize:
        return number(device.l2_bytes);
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        return number(device.max_threads_per_sm);
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        return number(device.max_blocks_per_sm);
    case cudaDevAttrComputeCapabilityMajor:
        return number(device.sm / 10);
    case cudaDevAttrComputeCapabilityMinor:
        return number(device.sm % 10);
    case cudaDevAttrClusterLaunch:
        return device.sm >= 90;
    default:
        return fixed_attribute(attribute);
    }
}

} // namespace sim::cuda
