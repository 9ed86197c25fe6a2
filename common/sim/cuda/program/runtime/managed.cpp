// Managed memory is one memory for host and device here: nothing migrates, so hints are only checked. Host and kernels
// may use it at the same time, as where concurrentManagedAccess is 1.
#include "sim/cuda/program/runtime/managed.h"

#include "sim/cuda/program/runtime.h"

namespace sim::cuda {

namespace {

Allocation managed(const void* memory, size_t bytes) {
    Allocation found;
    if (!Runtime::get().find(to_address(memory), found) || found.kind != Allocation::Kind::managed)
        fail(cudaErrorInvalidValue, "this is no managed memory (cudaMallocManaged)");
    if (bytes > found.bytes - (to_address(memory) - found.address))
        fail(cudaErrorInvalidValue, "the range is longer than the rest of the allocation");
    return found;
}

void check(MemoryPlace place) {
    if (place.type < cudaMemLocationTypeDevice || place.type > cudaMemLocationTypeHostNumaCurrent)
        fail(cudaErrorInvalidValue, "unknown kind of location");
    if (place.type == cudaMemLocationTypeDevice && place.id != 0)
        fail(cudaErrorInvalidDevice, "there is one device, with the number 0");
}

} // namespace

int prefetch_managed(const void* memory, size_t bytes, MemoryPlace to, unsigned flags, void* stream, bool own) {
    return api("cudaMemPrefetchAsync", [&] {
        const auto handle = static_cast<cudaStream_t>(stream);
        Runtime::get().stream_id(own ? per_thread(handle) : handle);
        if (!bytes || flags)
            fail(cudaErrorInvalidValue, bytes ? "flags must be 0" : "no bytes");
        managed(memory, bytes);
        check(to);
    });
}

int advise_managed(const void* memory, size_t bytes, int advice, MemoryPlace about) {
    return api("cudaMemAdvise", [&] {
        if (!bytes || advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
            fail(cudaErrorInvalidValue, bytes ? "unknown advice" : "no bytes");
        managed(memory, bytes);
        const bool of_a_place = advice == cudaMemAdviseSetPreferredLocation || advice == cudaMemAdviseSetAccessedBy ||
                                advice == cudaMemAdviseUnsetAccessedBy;
        if (of_a_place)
            check(about);
    });
}

} // namespace sim::cuda

using namespace sim::cuda;

ASYNCLAB_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* memory, size_t bytes, unsigned flags) {
    return api("cudaStreamAttachMemAsync", [&] {
        Runtime::get().stream_id(stream);
        const Allocation found = managed(memory, bytes);
        if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle)
            fail(cudaErrorInvalidValue, "unknown flags");
        if (flags == cudaMemAttachSingle && (!stream || stream == cudaStreamLegacy))
            fail(cudaErrorInvalidValue, "memory cannot be attached to the default stream");
        if (found.address != to_address(memory) || (bytes && bytes != found.bytes))
            fail(cudaErrorInvalidValue, "memory is attached as a whole: its first address, and all its bytes or 0");
    });
}
ASYNCLAB_API cudaError_t cudaStreamAttachMemAsync_ptsz(cudaStream_t stream, void* memory, size_t bytes,
                                                       unsigned flags) {
    return cudaStreamAttachMemAsync(per_thread(stream), memory, bytes, flags);
}
