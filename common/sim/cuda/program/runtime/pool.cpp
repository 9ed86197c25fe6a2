// Memory pools. No pool keeps freed memory, so they differ by their handles only.
#include <algorithm>
#include <cstring>
#include <list>
#include <mutex>

#include "sim/cuda/program/runtime.h"

using namespace sim::cuda;

namespace {

char default_pool; // its address is the handle

/// Pools that the program has made: the addresses of the elements are their handles.
struct Pools {
    std::mutex mutex;
    std::list<char> live;
};

Pools& pools() {
    static auto& all = *new Pools; // programs may ask in their own destructors
    return all;
}

cudaMemPool_t handle(char& pool) {
    return reinterpret_cast<cudaMemPool_t>(&pool);
}

cudaMemPool_t make_pool() {
    const std::lock_guard lock(pools().mutex);
    return handle(pools().live.emplace_back());
}

bool is_live(cudaMemPool_t pool) {
    const std::lock_guard lock(pools().mutex);
    return std::ranges::any_of(pools().live, [&](char& one) { return handle(one) == pool; });
}

void check_pool(cudaMemPool_t pool) {
    if (pool != handle(default_pool) && !is_live(pool))
        fail(cudaErrorInvalidValue, "the memory pool does not exist (never created, or destroyed)");
}

void destroy_pool(cudaMemPool_t pool) {
    if (pool == handle(default_pool))
        fail(cudaErrorInvalidValue, "the default pool of a device cannot be destroyed");
    check_pool(pool);
    const std::lock_guard lock(pools().mutex);
    pools().live.remove_if([&](char& one) { return handle(one) == pool; });
}

} // namespace

ASYNCLAB_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    return api("cudaDeviceGetDefaultMemPool", [&] {
        if (device != 0)
            fail(cudaErrorInvalidDevice);
        *pool = handle(default_pool);
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
        *pool = make_pool();
    });
}
ASYNCLAB_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    return api("cudaMemPoolDestroy", [&] { destroy_pool(pool); });
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
    if (const cudaError_t error = api("cudaMallocFromPoolAsync", [&] { check_pool(pool); }))
        return error;
    return cudaMallocAsync(result, bytes, stream);
}
ASYNCLAB_API cudaError_t cudaMallocFromPoolAsync_ptsz(void** result, size_t bytes, cudaMemPool_t pool,
                                                      cudaStream_t stream) {
    return cudaMallocFromPoolAsync(result, bytes, pool, per_thread(stream));
}
