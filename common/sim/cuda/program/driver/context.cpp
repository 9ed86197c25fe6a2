// Contexts. There is one device with one address space, so a context is no more than a name for it: each thread has a
// stack of them, and only programs that look at it see a difference.
#include <algorithm>
#include <memory>
#include <vector>

#include "sim/cuda/program/driver/context.h"
#include "sim/cuda/program/driver/driver.h"

using namespace sim::cuda;

namespace sim::cuda {

namespace {

struct Context {
    unsigned flags = 0;
};

Context primary;
std::atomic<int> retained = 0; // how often the primary one is
thread_local std::vector<CUcontext> stack;

CUcontext handle(Context* context) {
    return reinterpret_cast<CUcontext>(context);
}

} // namespace

int create_context(void** context, unsigned flags, int device) {
    if (!context || device != 0)
        return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
    auto made = std::make_unique<Context>();
    made->flags = flags;
    stack.push_back(handle(made.release()));
    *context = stack.back();
    return CUDA_SUCCESS;
}

} // namespace sim::cuda

ASYNCLAB_API CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    if (!context || device != 0)
        return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
    ++retained;
    *context = handle(&primary);
    return CUDA_SUCCESS;
}
ASYNCLAB_API CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
    return device == 0 && retained-- > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
ASYNCLAB_API CUresult cuDevicePrimaryCtxReset(CUdevice device) {
    return device == 0 ? as_driver(cudaDeviceReset()) : CUDA_ERROR_INVALID_DEVICE;
}
ASYNCLAB_API CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
    primary.flags = flags;
    return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
ASYNCLAB_API CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
    if (device != 0 || !flags || !active)
        return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
    *flags = primary.flags;
    *active = retained > 0;
    return CUDA_SUCCESS;
}
ASYNCLAB_API CUresult cuCtxDestroy(CUcontext context) {
    if (!context || context == handle(&primary))
        return CUDA_ERROR_INVALID_CONTEXT;
    std::erase(stack, context);
    delete reinterpret_cast<Context*>(context);
    return CUDA_SUCCESS;
}
ASYNCLAB_API CUresult cuCtxGetCurrent(CUcontext* context) {
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    *context = stack.empty() ? nullptr : stack.back();
    return CUDA_SUCCESS;
}
ASYNCLAB_API CUresult cuCtxSetCurrent(CUcontext context) {
    if (!stack.empty())
        stack.pop_back();
    if (context)
        stack.push_back(context);
    return CUDA_SUCCESS;
}
ASYNCLAB_API CUresult cuCtxPushCurrent(CUcontext context) {
    if (!context)
        return CUDA_ERROR_INVALID_CONTEXT;
    stack.push_back(context);
    return CUDA_SUCCESS;
}
ASYNCLAB_API CUresult cuCtxPopCurrent(CUcontext* context) {
    if (stack.empty())
        return CUDA_ERROR_INVALID_CONTEXT;
    if (context)
        *context = stack.back();
    stack.pop_back();
    return CUDA_SUCCESS;
}
ASYNCLAB_API CUresult cuCtxGetDevice(CUdevice* device) {
    if (!device || stack.empty())
        return device ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
    *device = 0;
    return CUDA_SUCCESS;
}
ASYNCLAB_API CUresult cuCtxGetFlags(unsigned* flags) {
    if (!flags || stack.empty())
        return flags ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
    *flags = reinterpret_cast<Context*>(stack.back())->flags;
    return CUDA_SUCCESS;
}
ASYNCLAB_API CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
    *id = reinterpret_cast<uint64_t>(context ? context : stack.empty() ? nullptr : stack.back());
    return CUDA_SUCCESS;
}
ASYNCLAB_API CUresult cuCtxGetApiVersion(CUcontext, unsigned* version) {
    *version = 3020; // of contexts, since CUDA 4.0
    return CUDA_SUCCESS;
}
#undef cuCtxSynchronize
ASYNCLAB_API CUresult cuCtxSynchronize() {
    return as_driver(cudaDeviceSynchronize());
}
ASYNCLAB_API CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    return as_driver(cudaDeviceGetStreamPriorityRange(least, greatest));
}
ASYNCLAB_API CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
    return as_driver(cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value));
}
ASYNCLAB_API CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
    return as_driver(cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)));
}
ASYNCLAB_API CUresult cuCtxSetCacheConfig(CUfunc_cache) {
    return CUDA_SUCCESS;
}
