// Attributes of kernels, and occupancy.
#include <cstring>

#include "sim/cuda/program/runtime.h"

namespace sim::cuda {

namespace {

uint64_t round_up(uint64_t value, uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

/// Blocks of `threads` threads and `dynamic` bytes of dynamic shared memory that one SM holds at once.
int blocks_per_sm(const RegisteredFunction& function, int threads, uint64_t dynamic) {
    const machine::Properties& device = Runtime::get().device();
    if (threads < 1 || static_cast<uint32_t>(threads) > std::min(device.max_threads_per_block, function.max_threads))
        return 0;
    const uint64_t warps = (static_cast<uint64_t>(threads) + device.warp_size - 1) / device.warp_size;
    uint64_t blocks = device.max_blocks_per_sm;
    blocks = std::min(blocks, device.max_threads_per_sm / (warps * device.warp_size));
    // A warp's registers are allocated in units of 256. PTX has more registers than the machine code will use, so the
    // number is capped by what the block size allows.
    const uint64_t most = device.registers_per_sm / (warps * device.warp_size);
    const uint64_t registers = std::min<uint64_t>({std::max<uint32_t>(function.registers, 16), 255, most});
    blocks = std::min(blocks, device.registers_per_sm / (round_up(registers * device.warp_size, 256) * warps));
    const uint64_t shared = function.static_shared + dynamic;
    if (shared > device.shared_per_block_optin)
        return 0;
    return static_cast<int>(
        std::min(blocks, device.shared_per_sm / round_up(shared + device.reserved_shared_per_block, 128)));
}

} // namespace

} // namespace sim::cuda

using namespace sim::cuda;

ASYNCLAB_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* symbol) {
    return api("cudaFuncGetAttributes", [&] {
        const RegisteredFunction& function = Runtime::get().function(symbol);
        std::memset(attributes, 0, sizeof *attributes);
        attributes->sharedSizeBytes = function.static_shared;
        attributes->localSizeBytes = function.local_bytes;
        attributes->maxThreadsPerBlock = static_cast<int>(function.max_threads);
        attributes->numRegs = static_cast<int>(std::min<uint32_t>(function.registers, 255));
        attributes->ptxVersion = attributes->binaryVersion = static_cast<int>(Runtime::get().architecture());
        attributes->maxDynamicSharedSizeBytes = static_cast<int>(function.max_dynamic_shared);
        attributes->preferredShmemCarveout = function.preferred_carveout;
        attributes->clusterDimMustBeSet = function.required_cluster[0] != 0;
        attributes->requiredClusterWidth = static_cast<int>(function.required_cluster[0]);
        attributes->requiredClusterHeight = static_cast<int>(function.required_cluster[1]);
        attributes->requiredClusterDepth = static_cast<int>(function.required_cluster[2]);
        attributes->nonPortableClusterSizeAllowed = function.nonportable_cluster;
    });
}

ASYNCLAB_API cudaError_t cudaFuncSetAttribute(const void* symbol, cudaFuncAttribute which, int value) {
    return api("cudaFuncSetAttribute", [&] {
        RegisteredFunction& function = Runtime::get().function(symbol);
        const auto most = static_cast<int64_t>(Runtime::get().device().shared_per_block_optin);
        switch (which) {
        case cudaFuncAttributeMaxDynamicSharedMemorySize:
            if (value < 0 || value + static_cast<int64_t>(function.static_shared) > most)
                fail(cudaErrorInvalidValue,
                     "static and dynamic shared memory of a block may be " + std::to_string(most) + " bytes together");
            function.max_dynamic_shared = static_cast<uint32_t>(value);
            return;
        case cudaFuncAttributePreferredSharedMemoryCarveout:
            function.preferred_carveout = value;
            return;
        case cudaFuncAttributeNonPortableClusterSizeAllowed:
            function.nonportable_cluster = value != 0;
            return;
        case cudaFuncAttributeClusterSchedulingPolicyPreference:
            return;
        default:
            fail(cudaErrorNotSupported, "this attribute cannot be set on the simulated device");
        }
    });
}

ASYNCLAB_API cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) {
    return cudaSuccess;
}
ASYNCLAB_API cudaError_t cudaFuncSetSharedMemConfig(const void*, cudaSharedMemConfig) {
    return cudaSuccess;
}

ASYNCLAB_API cudaError_t cudaFuncGetName(const char** name, const void* symbol) {
    return api("cudaFuncGetName", [&] { *name = Runtime::get().function(symbol).name.c_str(); });
}

ASYNCLAB_API cudaError_t cudaFuncGetParamInfo(const void* symbol, size_t index, size_t* offset, size_t* bytes) {
    return api("cudaFuncGetParamInfo", [&] {
        const RegisteredFunction& function = Runtime::get().function(symbol);
        if (index >= function.parameters.size())
            fail(cudaErrorInvalidValue);
        *offset = function.parameters[index].offset;
        if (bytes)
            *bytes = function.parameters[index].bytes;
    });
}

ASYNCLAB_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t* result, const void* symbol) {
    return api("cudaGetFuncBySymbol",
               [&] { *result = reinterpret_cast<cudaFunction_t>(&Runtime::get().function(symbol)); });
}

ASYNCLAB_API cudaError_t cudaGetKernel(cudaKernel_t* result, const void* symbol) {
    return api("cudaGetKernel", [&] { *result = reinterpret_cast<cudaKernel_t>(&Runtime::get().function(symbol)); });
}

ASYNCLAB_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* symbol,
                                                                                int threads, size_t dynamic, unsigned) {
    return api("cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&] {
        if (threads < 1)
            fail(cudaErrorInvalidValue, "a block has at least one thread");
        *blocks = blocks_per_sm(Runtime::get().function(symbol), threads, dynamic);
    });
}

ASYNCLAB_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* symbol, int threads,
                                                                       size_t dynamic) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, symbol, threads, dynamic, 0);
}

ASYNCLAB_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* symbol, int blocks,
                                                                   int threads) {
    return api("cudaOccupancyAvailableDynamicSMemPerBlock", [&] {
        const RegisteredFunction& function = Runtime::get().function(symbol);
        const sim::machine::Properties& device = Runtime::get().device();
        if (blocks < 1 || threads < 1 || blocks > blocks_per_sm(function, threads, 0))
            fail(cudaErrorInvalidValue, "so many blocks do not fit on an SM");
        const uint64_t each = device.shared_per_sm / static_cast<uint64_t>(blocks) / 128 * 128;
        const uint64_t taken = uint64_t{device.reserved_shared_per_block} + function.static_shared;
        *bytes =
            each > taken ? std::min<uint64_t>(each - taken, device.shared_per_block_optin - function.static_shared) : 0;
    });
}

ASYNCLAB_API cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* symbol,
                                                              const cudaLaunchConfig_t*) {
    return api("cudaOccupancyMaxPotentialClusterSize",
               [&] { *size = Runtime::get().function(symbol).nonportable_cluster ? 16 : 8; });
}

ASYNCLAB_API cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* symbol,
                                                        const cudaLaunchConfig_t* config) {
    return api("cudaOccupancyMaxActiveClusters", [&] {
        if (!config)
            fail(cudaErrorInvalidValue);
        const RegisteredFunction& function = Runtime::get().function(symbol);
        uint64_t cluster = std::max<uint64_t>(1, uint64_t{function.required_cluster[0]} * function.required_cluster[1] *
                                                     function.required_cluster[2]);
        for (unsigned i = 0; i < config->numAttrs; ++i)
            if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) {
                const auto& size = config->attrs[i].val.clusterDim;
                cluster = std::max<uint64_t>(1, uint64_t{size.x} * size.y * size.z);
            }
        const uint64_t threads = uint64_t{config->blockDim.x} * config->blockDim.y * config->blockDim.z;
        const int blocks =
            threads > 1024 ? 0 : blocks_per_sm(function, static_cast<int>(threads), config->dynamicSmemBytes);
        *clusters = static_cast<int>(static_cast<uint64_t>(blocks) * Runtime::get().device().sm_count / cluster);
    });
}
