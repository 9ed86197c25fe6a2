// The driver's functions for programs in which stream 0 is the calling thread's own
// (CUDA_API_PER_THREAD_DEFAULT_STREAM).
#include "sim/cuda/program/driver/driver.h"

using namespace sim::cuda;

#define OF_STREAM(name, declared, ...)                                                                                 \
    ASYNCLAB_API CUresult name##_ptsz declared {                                                                       \
        return name(__VA_ARGS__);                                                                                      \
    }

// --- streams and events ---
OF_STREAM(cuStreamSynchronize, (CUstream s), per_thread(s))
OF_STREAM(cuStreamQuery, (CUstream s), per_thread(s))
OF_STREAM(cuStreamWaitEvent, (CUstream s, CUevent event, unsigned flags), per_thread(s), event, flags)
OF_STREAM(cuStreamGetFlags, (CUstream s, unsigned* flags), per_thread(s), flags)
OF_STREAM(cuStreamGetPriority, (CUstream s, int* priority), per_thread(s), priority)
OF_STREAM(cuStreamGetId, (CUstream s, unsigned long long* id), per_thread(s), id)
OF_STREAM(cuStreamGetCtx, (CUstream s, CUcontext* context), per_thread(s), context)
OF_STREAM(cuStreamIsCapturing, (CUstream s, CUstreamCaptureStatus* status), per_thread(s), status)
OF_STREAM(cuStreamEndCapture, (CUstream s, CUgraph* graph), per_thread(s), graph)
OF_STREAM(cuStreamAddCallback, (CUstream s, CUstreamCallback function, void* data, unsigned flags), per_thread(s),
          function, data, flags)
OF_STREAM(cuEventRecord, (CUevent event, CUstream s), event, per_thread(s))
OF_STREAM(cuEventRecordWithFlags, (CUevent event, CUstream s, unsigned flags), event, per_thread(s), flags)
ASYNCLAB_API CUresult cuStreamBeginCapture_v2_ptsz(CUstream s, CUstreamCaptureMode mode) {
    return cuStreamBeginCapture(per_thread(s), mode);
}
ASYNCLAB_API CUresult cuStreamAttachMemAsync(CUstream s, CUdeviceptr memory, size_t bytes, unsigned flags) {
    return as_driver(cudaStreamAttachMemAsync(s, pointer(memory), bytes, flags));
}
OF_STREAM(cuStreamAttachMemAsync, (CUstream s, CUdeviceptr memory, size_t bytes, unsigned flags), per_thread(s), memory,
          bytes, flags)

// --- launches ---
OF_STREAM(cuLaunchKernel,
          (CUfunction kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
           unsigned shared, CUstream s, void** arguments, void** extra),
          kernel, gx, gy, gz, bx, by, bz, shared, per_thread(s), arguments, extra)
OF_STREAM(cuLaunchCooperativeKernel,
          (CUfunction kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
           unsigned shared, CUstream s, void** arguments),
          kernel, gx, gy, gz, bx, by, bz, shared, per_thread(s), arguments)
OF_STREAM(cuLaunchHostFunc, (CUstream s, CUhostFn function, void* data), per_thread(s), function, data)
OF_STREAM(cuGraphLaunch, (CUgraphExec exec, CUstream s), exec, per_thread(s))
OF_STREAM(cuGraphUpload, (CUgraphExec exec, CUstream s), exec, per_thread(s))
ASYNCLAB_API CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig* config, CUfunction kernel, void** arguments,
                                            void** extra) {
    if (!config)
        return cuLaunchKernelEx(config, kernel, arguments, extra);
    CUlaunchConfig own = *config;
    own.hStream = per_thread(own.hStream);
    return cuLaunchKernelEx(&own, kernel, arguments, extra);
}

// --- memory ---
OF_STREAM(cuMemAllocAsync, (CUdeviceptr * address, size_t bytes, CUstream s), address, bytes, per_thread(s))
OF_STREAM(cuMemAllocFromPoolAsync, (CUdeviceptr * address, size_t bytes, CUmemoryPool pool, CUstream s), address, bytes,
          pool, per_thread(s))
OF_STREAM(cuMemFreeAsync, (CUdeviceptr address, CUstream s), address, per_thread(s))
OF_STREAM(cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s), to, from, bytes, per_thread(s))
OF_STREAM(cuMemsetD8Async, (CUdeviceptr to, unsigned char value, size_t count, CUstream s), to, value, count,
          per_thread(s))
OF_STREAM(cuMemsetD16Async, (CUdeviceptr to, unsigned short value, size_t count, CUstream s), to, value, count,
          per_thread(s))
OF_STREAM(cuMemsetD32Async, (CUdeviceptr to, unsigned value, size_t count, CUstream s), to, value, count, per_thread(s))

#undef OF_STREAM

ASYNCLAB_API CUresult cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr to, const void* from, size_t bytes, CUstream s) {
    return cuMemcpyHtoDAsync(to, from, bytes, per_thread(s));
}
ASYNCLAB_API CUresult cuMemcpyDtoHAsync_v2_ptsz(void* to, CUdeviceptr from, size_t bytes, CUstream s) {
    return cuMemcpyDtoHAsync(to, from, bytes, per_thread(s));
}
ASYNCLAB_API CUresult cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s) {
    return cuMemcpyDtoDAsync(to, from, bytes, per_thread(s));
}
ASYNCLAB_API CUresult cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D* parameters, CUstream s) {
    return cuMemcpy2DAsync(parameters, per_thread(s));
}

// Synchronous ones, in the thread's own stream.
extern "C" cudaError_t cudaMemcpy_ptds(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
ASYNCLAB_API CUresult cuMemcpy_ptds(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return as_driver(cudaMemcpy_ptds(pointer(to), pointer(from), bytes, cudaMemcpyDefault));
}
ASYNCLAB_API CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr to, const void* from, size_t bytes) {
    return as_driver(cudaMemcpy_ptds(pointer(to), from, bytes, cudaMemcpyHostToDevice));
}
ASYNCLAB_API CUresult cuMemcpyDtoH_v2_ptds(void* to, CUdeviceptr from, size_t bytes) {
    return as_driver(cudaMemcpy_ptds(to, pointer(from), bytes, cudaMemcpyDeviceToHost));
}
ASYNCLAB_API CUresult cuMemcpyDtoD_v2_ptds(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return as_driver(cudaMemcpy_ptds(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice));
}
ASYNCLAB_API CUresult cuMemsetD8_v2_ptds(CUdeviceptr to, unsigned char value, size_t count) {
    return cuMemsetD8Async(to, value, count, cudaStreamPerThread);
}
ASYNCLAB_API CUresult cuMemsetD16_v2_ptds(CUdeviceptr to, unsigned short value, size_t count) {
    return cuMemsetD16Async(to, value, count, cudaStreamPerThread);
}
ASYNCLAB_API CUresult cuMemsetD32_v2_ptds(CUdeviceptr to, unsigned value, size_t count) {
    return cuMemsetD32Async(to, value, count, cudaStreamPerThread);
}
