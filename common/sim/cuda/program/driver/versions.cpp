// Functions of the driver whose form differs between CUDA 12 and CUDA 13; as in runtime/versions.cpp, the headers
// are not included.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sim/cuda/program/driver/context.h"
#include "sim/cuda/program/runtime/managed.h"

#define ASYNCLAB_API extern "C" __attribute__((visibility("default")))

using sim::cuda::create_context;

ASYNCLAB_API int cuCtxCreate_v2(void** context, unsigned flags, int device) {
    return create_context(context, flags, device);
}
ASYNCLAB_API int cuCtxCreate_v4(void** context, void*, unsigned flags, int device) {
    return create_context(context, flags, device);
}

extern "C" int cudaEventElapsedTime(float*, void*, void*);
ASYNCLAB_API int cuEventElapsedTime(float* milliseconds, void* first, void* second) {
    return cudaEventElapsedTime(milliseconds, first, second);
}
ASYNCLAB_API int cuEventElapsedTime_v2(float* milliseconds, void* first, void* second) {
    return cudaEventElapsedTime(milliseconds, first, second);
}

// CUuuid has 16 bytes. There is one device.
ASYNCLAB_API int cuDeviceGetUuid_v2(char* uuid, int) {
    std::memcpy(uuid, "asynclab device0", 16);
    return 0;
}
ASYNCLAB_API int cuDeviceGetUuid(char* uuid, int device) {
    return cuDeviceGetUuid_v2(uuid, device);
}

// Hints about managed memory: the first form has a device, the second a location.
extern "C" int cudaMemPrefetchAsync_v2(const void*, size_t, uint64_t, uint64_t, void*);
extern "C" int cudaMemPrefetchAsync_v2_ptsz(const void*, size_t, uint64_t, uint64_t, void*);
extern "C" int cudaMemAdvise_v2(const void*, size_t, int, uint64_t);
ASYNCLAB_API int cuMemPrefetchAsync_v2(const void* memory, size_t bytes, uint64_t where, unsigned flags, void* stream) {
    return cudaMemPrefetchAsync_v2(memory, bytes, where, flags, stream);
}
ASYNCLAB_API int cuMemPrefetchAsync_v2_ptsz(const void* memory, size_t bytes, uint64_t where, unsigned flags,
                                            void* stream) {
    return cudaMemPrefetchAsync_v2_ptsz(memory, bytes, where, flags, stream);
}
ASYNCLAB_API int cuMemPrefetchAsync(const void* memory, size_t bytes, int device, void* stream) {
    return sim::cuda::prefetch_managed(memory, bytes, sim::cuda::place_of_device(device), 0, stream, false);
}
ASYNCLAB_API int cuMemPrefetchAsync_ptsz(const void* memory, size_t bytes, int device, void* stream) {
    return sim::cuda::prefetch_managed(memory, bytes, sim::cuda::place_of_device(device), 0, stream, true);
}
ASYNCLAB_API int cuMemAdvise_v2(const void* memory, size_t bytes, int advice, uint64_t where) {
    return cudaMemAdvise_v2(memory, bytes, advice, where);
}
ASYNCLAB_API int cuMemAdvise(const void* memory, size_t bytes, int advice, int device) {
    return sim::cuda::advise_managed(memory, bytes, advice, sim::cuda::place_of_device(device));
}

// Dependencies in graphs: without _v2, their edges are not annotated. The annotations have the runtime's layout.
extern "C" int cudaGraphAddDependencies_v2(void* graph, const void* from, const void* to, const void* edges,
                                           size_t count);
extern "C" int cudaGraphRemoveDependencies_v2(void* graph, const void* from, const void* to, const void* edges,
                                              size_t count);
extern "C" int cudaGraphGetEdges_v2(void* graph, void* from, void* to, void* edges, size_t* count);
extern "C" int cudaGraphNodeGetDependencies_v2(void* node, void* nodes, void* edges, size_t* count);
extern "C" int cudaGraphNodeGetDependentNodes_v2(void* node, void* nodes, void* edges, size_t* count);
ASYNCLAB_API int cuGraphAddDependencies_v2(void* graph, const void* from, const void* to, const void* edges,
                                           size_t count) {
    return cudaGraphAddDependencies_v2(graph, from, to, edges, count);
}
ASYNCLAB_API int cuGraphAddDependencies(void* graph, const void* from, const void* to, size_t count) {
    return cudaGraphAddDependencies_v2(graph, from, to, nullptr, count);
}
ASYNCLAB_API int cuGraphRemoveDependencies_v2(void* graph, const void* from, const void* to, const void* edges,
                                              size_t count) {
    return cudaGraphRemoveDependencies_v2(graph, from, to, edges, count);
}
ASYNCLAB_API int cuGraphRemoveDependencies(void* graph, const void* from, const void* to, size_t count) {
    return cudaGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}
ASYNCLAB_API int cuGraphGetEdges_v2(void* graph, void* from, void* to, void* edges, size_t* count) {
    return cudaGraphGetEdges_v2(graph, from, to, edges, count);
}
ASYNCLAB_API int cuGraphGetEdges(void* graph, void* from, void* to, size_t* count) {
    return cudaGraphGetEdges_v2(graph, from, to, nullptr, count);
}
ASYNCLAB_API int cuGraphNodeGetDependencies_v2(void* node, void* nodes, void* edges, size_t* count) {
    return cudaGraphNodeGetDependencies_v2(node, nodes, edges, count);
}
ASYNCLAB_API int cuGraphNodeGetDependencies(void* node, void* nodes, size_t* count) {
    return cudaGraphNodeGetDependencies_v2(node, nodes, nullptr, count);
}
ASYNCLAB_API int cuGraphNodeGetDependentNodes_v2(void* node, void* nodes, void* edges, size_t* count) {
    return cudaGraphNodeGetDependentNodes_v2(node, nodes, edges, count);
}
ASYNCLAB_API int cuGraphNodeGetDependentNodes(void* node, void* nodes, size_t* count) {
    return cudaGraphNodeGetDependentNodes_v2(node, nodes, nullptr, count);
}
