// Functions whose form differs between CUDA 12 and CUDA 13. The library serves programs compiled with either, so
// nothing here depends on the headers at hand; parameters that only one form has are not looked at.
#include <cstring>

#include "sim/cuda/program/device_attributes.h"
#include "sim/cuda/program/runtime/managed.h"
#include "sim/cuda/program/runtime/versioned.h"

#define ASYNCLAB_API extern "C" __attribute__((visibility("default")))

using namespace sim::cuda;

namespace {

// cudaDeviceProp: the offsets of reported fields in the two versions. The value is a device attribute, by its number.
struct Field {
    int attribute;
    uint16_t offset_13, offset_12; ///< bytes; `absent`: not in this version
};
constexpr uint16_t absent = 0xFFFF;
constexpr size_t bytes_13 = 1008, bytes_12 = 1032;

constexpr Field int_fields[] = {
    {12, 304, 304},    // regsPerBlock
    {10, 308, 308},    // warpSize
    {1, 320, 320},     // maxThreadsPerBlock
    {2, 324, 324},     // maxThreadsDim
    {3, 328, 328},     //
    {4, 332, 332},     //
    {5, 336, 336},     // maxGridSize
    {6, 340, 340},     //
    {7, 344, 344},     //
    {13, absent, 348}, // clockRate
    {75, 360, 360},    // major
    {76, 364, 364},    // minor
    {15, absent, 384}, // deviceOverlap
    {16, 384, 388},    // multiProcessorCount
    {19, 392, 400},    // canMapHostMemory
    {31, 560, 576},    // concurrentKernels
    {40, 584, 600},    // asyncEngineCount
    {41, 588, 604},    // unifiedAddressing
    {36, absent, 608}, // memoryClockRate
    {37, 592, 612},    // memoryBusWidth
    {38, 596, 616},    // l2CacheSize
    {39, 604, 624},    // maxThreadsPerMultiProcessor
    {78, 608, 628},    // streamPrioritiesSupported
    {79, 612, 632},    // globalL1CacheSupported
    {80, 616, 636},    // localL1CacheSupported
    {82, 632, 648},    // regsPerMultiprocessor
    {83, 636, 652},    // managedMemory
    {87, absent, 668}, // singleToDoublePrecisionPerfRatio
    {89, 656, 676},    // concurrentManagedAccess
    {90, 660, 680},    // computePreemptionSupported
    {91, 664, 684},    // canUseHostPointerForRegisteredMem
    {95, 668, 688},    // cooperativeLaunch
    {106, 688, 712},   // maxBlocksPerMultiProcessor
    {99, 704, 728},    // hostRegisterSupported
    {115, 720, 744},   // memoryPoolsSupported
    {120, 748, 772},   // clusterLaunch
};
constexpr Field size_fields[] = {
    {8, 296, 296},   // sharedMemPerBlock
    {11, 312, 312},  // memPitch
    {9, 352, 352},   // totalConstMem
    {14, 368, 368},  // textureAlignment
    {51, 376, 376},  // texturePitchAlignment
    {30, 552, 568},  // surfaceAlignment
    {81, 624, 640},  // sharedMemPerMultiprocessor
    {97, 672, 696},  // sharedMemPerBlockOptin
    {111, 696, 720}, // reservedSharedMemPerBlock
};
constexpr size_t total_memory_offset = 288;

template <bool cuda_13>
void describe(const sim::machine::Properties& device, void* to) {
    auto* bytes = static_cast<char*>(to);
    std::memset(bytes, 0, cuda_13 ? bytes_13 : bytes_12);
    std::strcpy(bytes, device_name(device).c_str());
    const uint64_t total = device.total_memory;
    std::memcpy(bytes + total_memory_offset, &total, sizeof total);
    const auto put = [&](const Field& field, auto value) {
        const uint16_t offset = cuda_13 ? field.offset_13 : field.offset_12;
        if (offset != absent)
            std::memcpy(bytes + offset, &value, sizeof value);
    };
    for (const Field& field : int_fields)
        put(field, device_attribute(device, field.attribute));
    for (const Field& field : size_fields)
        put(field, static_cast<uint64_t>(device_attribute(device, field.attribute)));
}

} // namespace

// Set by a drop-in library for another version than the headers'.
extern "C" __attribute__((weak)) int asynclab_cudart_version();

ASYNCLAB_API int cudaRuntimeGetVersion(int* version) {
    *version = asynclab_cudart_version ? asynclab_cudart_version() : built_version();
    return 0;
}
ASYNCLAB_API int cudaDriverGetVersion(int* version) {
    return cudaRuntimeGetVersion(version);
}

ASYNCLAB_API int cudaGetDeviceProperties(void* properties, int device) { // CUDA 13
    return with_device(device, describe<true>, properties);
}
ASYNCLAB_API int cudaGetDeviceProperties_v2(void* properties, int device) { // CUDA 12
    return with_device(device, describe<false>, properties);
}

// Hints about managed memory. CUDA 12 has a device where CUDA 13 has a location, which travels in one register, too.
namespace {

bool is_13() {
    int version = 0;
    cudaRuntimeGetVersion(&version);
    return version >= 13000;
}

MemoryPlace place_of(uint64_t location) {
    return {static_cast<int>(location), static_cast<int>(location >> 32)};
}

int prefetch(const void* memory, size_t bytes, uint64_t where, uint64_t flags, void* stream, bool per_thread) {
    return prefetch_managed(memory, bytes, place_of(where), static_cast<unsigned>(flags), stream, per_thread);
}

int prefetch_of_12(const void* memory, size_t bytes, uint64_t device, uint64_t stream, bool per_thread) {
    return prefetch_managed(memory, bytes, place_of_device(static_cast<int>(device)), 0,
                            reinterpret_cast<void*>(stream), per_thread);
}

} // namespace

ASYNCLAB_API int cudaMemPrefetchAsync_v2(const void* memory, size_t bytes, uint64_t where, uint64_t flags,
                                         void* stream) {
    return prefetch(memory, bytes, where, flags, stream, false);
}
ASYNCLAB_API int cudaMemPrefetchAsync_v2_ptsz(const void* memory, size_t bytes, uint64_t where, uint64_t flags,
                                              void* stream) {
    return prefetch(memory, bytes, where, flags, stream, true);
}
ASYNCLAB_API int cudaMemPrefetchAsync(const void* memory, size_t bytes, uint64_t where, uint64_t flags, void* stream) {
    return is_13() ? prefetch(memory, bytes, where, flags, stream, false)
                   : prefetch_of_12(memory, bytes, where, flags, false);
}
ASYNCLAB_API int cudaMemPrefetchAsync_ptsz(const void* memory, size_t bytes, uint64_t where, uint64_t flags,
                                           void* stream) {
    return is_13() ? prefetch(memory, bytes, where, flags, stream, true)
                   : prefetch_of_12(memory, bytes, where, flags, true);
}
ASYNCLAB_API int cudaMemAdvise_v2(const void* memory, size_t bytes, int advice, uint64_t where) {
    return advise_managed(memory, bytes, advice, place_of(where));
}
ASYNCLAB_API int cudaMemAdvise(const void* memory, size_t bytes, int advice, uint64_t where) {
    return advise_managed(memory, bytes, advice, is_13() ? place_of(where) : place_of_device(static_cast<int>(where)));
}

// CUDA 12 has no edges here.
ASYNCLAB_API int cudaGraphAddNode_v2(void* node, void* graph, const void* after, const void* edges, size_t count,
                                     void* parameters) {
    return add_graph_node(node, graph, after, edges, count, parameters);
}
ASYNCLAB_API int cudaGraphAddNode(void* node, void* graph, const void* after, const void* edges, size_t count,
                                  void* parameters) {
    if (is_13())
        return add_graph_node(node, graph, after, edges, count, parameters);
    return add_graph_node(node, graph, after, nullptr, reinterpret_cast<size_t>(edges), reinterpret_cast<void*>(count));
}

// Older names.
extern "C" int cudaEventElapsedTime(float*, void*, void*);
extern "C" int cudaDeviceSynchronize();
extern "C" int cudaDeviceReset();
ASYNCLAB_API int cudaEventElapsedTime_v2(float* milliseconds, void* first, void* second) {
    return cudaEventElapsedTime(milliseconds, first, second);
}
ASYNCLAB_API int cudaThreadSynchronize() {
    return cudaDeviceSynchronize();
}
ASYNCLAB_API int cudaThreadExit() {
    return cudaDeviceReset();
}
