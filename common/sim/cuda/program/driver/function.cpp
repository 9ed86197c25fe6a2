// Kernels by handle: attributes, occupancy and launches.
#include <cstring>

#include "sim/cuda/program/driver/driver.h"

using namespace sim::cuda;

namespace {

int value_of(const cudaFuncAttributes& all, CUfunction_attribute which) {
    switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        return all.maxThreadsPerBlock;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        return static_cast<int>(all.sharedSizeBytes);
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        return static_cast<int>(all.constSizeBytes);
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        return static_cast<int>(all.localSizeBytes);
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        return all.numRegs;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        return all.ptxVersion;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        return all.binaryVersion;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        return all.maxDynamicSharedSizeBytes;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        return all.preferredShmemCarveout;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
        return all.clusterDimMustBeSet;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
        return all.requiredClusterWidth;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
        return all.requiredClusterHeight;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        return all.requiredClusterDepth;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        return all.nonPortableClusterSizeAllowed;
    default:
        return 0;
    }
}

// The attributes that can be set have the same numbers in both APIs.
cudaFuncAttribute runtimes(CUfunction_attribute which) {
    return static_cast<cudaFuncAttribute>(which);
}

// `extra` instead of pointers: one buffer with all arguments, laid out like the parameters.
std::vector<void*> arguments_in(CUfunction function, void** extra) {
    std::byte* buffer = nullptr;
    for (size_t i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2)
        if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = static_cast<std::byte*>(extra[i + 1]);
    std::vector<void*> all;
    for (const auto& parameter : Runtime::get().function(symbol(function)).parameters)
        all.push_back(buffer ? buffer + parameter.offset : nullptr);
    return all;
}

template <typename Launch>
CUresult launch(const char* name, CUfunction function, void** arguments, void** extra, const Launch& with) {
    if (!extra || arguments)
        return as_driver(with(arguments));
    std::vector<void*> pointers;
    if (const CUresult error = driver(name, [&] { pointers = arguments_in(function, extra); }))
        return error;
    return as_driver(with(pointers.data()));
}

} // namespace

ASYNCLAB_API CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction function) {
    cudaFuncAttributes all{};
    const cudaError_t error = cudaFuncGetAttributes(&all, symbol(function));
    if (!error)
        *value = value_of(all, which);
    return as_driver(error);
}
ASYNCLAB_API CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute which, int value) {
    if (which >=
        CU_FUNC_ATTRIBUTE_MAX) // as a driver answers that is older than the attribute; programs try another one
        return CUDA_ERROR_INVALID_VALUE;
    return as_driver(cudaFuncSetAttribute(symbol(function), runtimes(which), value));
}
ASYNCLAB_API CUresult cuKernelGetAttribute(int* value, CUfunction_attribute which, CUkernel kernel, CUdevice) {
    return cuFuncGetAttribute(value, which, reinterpret_cast<CUfunction>(kernel));
}
ASYNCLAB_API CUresult cuKernelSetAttribute(CUfunction_attribute which, int value, CUkernel kernel, CUdevice) {
    return cuFuncSetAttribute(reinterpret_cast<CUfunction>(kernel), which, value);
}
ASYNCLAB_API CUresult cuFuncSetCacheConfig(CUfunction, CUfunc_cache) {
    return CUDA_SUCCESS;
}
ASYNCLAB_API CUresult cuFuncGetName(const char** name, CUfunction function) {
    return as_driver(cudaFuncGetName(name, symbol(function)));
}
ASYNCLAB_API CUresult cuKernelGetName(const char** name, CUkernel kernel) {
    return cuFuncGetName(name, reinterpret_cast<CUfunction>(kernel));
}
ASYNCLAB_API CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes) {
    return driver("cuFuncGetParamInfo", [&] { // past the last one, programs stop: no message
        const RegisteredFunction& found = Runtime::get().function(symbol(function));
        if (index >= found.parameters.size())
            fail(cudaErrorInvalidValue);
        *offset = found.parameters[index].offset;
        if (bytes)
            *bytes = found.parameters[index].bytes;
    });
}
ASYNCLAB_API CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* bytes) {
    return cuFuncGetParamInfo(reinterpret_cast<CUfunction>(kernel), index, offset, bytes);
}

ASYNCLAB_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                                  size_t dynamic) {
    return as_driver(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, symbol(function), threads, dynamic));
}
ASYNCLAB_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function,
                                                                           int threads, size_t dynamic, unsigned) {
    return as_driver(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, symbol(function), threads, dynamic));
}
ASYNCLAB_API CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, CUfunction function, int blocks,
                                                              int threads) {
    return as_driver(cudaOccupancyAvailableDynamicSMemPerBlock(bytes, symbol(function), blocks, threads));
}

ASYNCLAB_API CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                     CUstream stream, void** arguments, void** extra) {
    return launch("cuLaunchKernel", function, arguments, extra, [&](void** all) {
        return cudaLaunchKernel(symbol(function), dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z), all,
                                shared, stream);
    });
}
ASYNCLAB_API CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                                unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                                CUstream stream, void** arguments) {
    return as_driver(cudaLaunchCooperativeKernel(symbol(function), dim3(grid_x, grid_y, grid_z),
                                                 dim3(block_x, block_y, block_z), arguments, shared, stream));
}
ASYNCLAB_API CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments,
                                       void** extra) {
    if (!config)
        return driver("cuLaunchKernelEx", [] { fail(cudaErrorInvalidValue, "no launch configuration"); });
    static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute));
    cudaLaunchConfig_t same{};
    same.gridDim = dim3(config->gridDimX, config->gridDimY, config->gridDimZ);
    same.blockDim = dim3(config->blockDimX, config->blockDimY, config->blockDimZ);
    same.dynamicSmemBytes = config->sharedMemBytes;
    same.stream = config->hStream;
    same.attrs = reinterpret_cast<cudaLaunchAttribute*>(config->attrs);
    same.numAttrs = config->numAttrs;
    return launch("cuLaunchKernelEx", function, arguments, extra,
                  [&](void** all) { return cudaLaunchKernelExC(&same, symbol(function), all); });
}
ASYNCLAB_API CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
    return as_driver(cudaLaunchHostFunc(stream, function, data));
}
