// Memory pools: there is one, and it never keeps freed memory.
#include <cstring>

#include "sim/cuda/program/runtime.h"

using namespace sim::cuda;

namespace {

char the_pool; // its address is the handle

cudaMemPool_t pool_handle() {
    return reinterpret_cast<cudaMemPool_t>(&the_pool);
}

void check_pool(cudaMemPool_t pool) {
    if (pool != pool_handle())
        fail(cudaErrorInvalidValue, "no such memory pool");
}

} // namespace

ASYNCLAB_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    return api("cudaDeviceGetDefaultMemPool", [&] {
        if (device != 0)
            fail(cudaErrorInvalidDevice);
        *pool = pool_handle();
    });
}
ASYNCLAB_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
    return cudaDeviceGetDefaultMemPool(pool, device);
}
ASYNCLAB_API cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t pool) {
    return api("cudaDeviceSetMemPool", [&] { check_pool(pool); });
}
ASYNCLAB_API cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
    return api("cudaMemPoolCreate", [&] {
        if (!properties || properties->location.type != cudaMemLocationTypeDevice)
            fail(cudaErrorNotSupported, "only pools of device memory are supported");
        *pool = pool_handle();
    });
}
ASYNCLAB_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    return api("cudaMemPoolDestroy", [&] { check_pool(pool); });
}
ASYNCLAB_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr, void*) {
    return api("cudaMemPoolSetAttribute", [&] { check_pool(pool); });
}
ASYNCLAB_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr which, void* value) {
    return api("cudaMemPoolGetAttribute", [&] {
        check_pool(pool);
        const bool flag = which == cudaMemPoolReuseFollowEventDependencies ||
                          which == cudaMemPoolReuseAllowOpportunistic ||
                          which == cudaMemPoolReuseAllowInternalDependencies;
        std::memset(value, 0, flag ? sizeof(int) : sizeof(uint64_t));
    });
}
ASYNCLAB_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc*, size_t) {
    return api("cudaMemPoolSetAccess", [&] { check_pool(pool); });
}
ASYNCLAB_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
    return api("cudaMemPoolTrimTo", [&] { check_pool(pool); });
}
ASYNCLAB_API cudaError_t cudaMallocFromPoolAsync(void** result, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    if (pool != pool_handle())
        return api("cudaMallocFromPoolAsync", [&] { check_pool(pool); });
    return cudaMallocAsync(result, bytes, stream);
}
ASYNCLAB_API cudaError_t cudaMallocFromPoolAsync_ptsz(void** result, size_t bytes, cudaMemPool_t pool,
                                                      cudaStream_t stream) {
    return cudaMallocFromPoolAsync(result, bytes, pool, per_thread(stream));
}
