// Allocation.
#include <cstring>

#include "sim/cuda/program/capture.h"
#include "sim/cuda/program/session.h"

namespace sim::cuda {

namespace {

constexpr uint64_t pitch_alignment = 512;

void check(const void* result) {
    if (!result)
        fail(cudaErrorInvalidValue, "a null pointer for the result");
}

void* allocate(uint64_t bytes) {
    if (!bytes)
        return nullptr;
    Runtime& runtime = Runtime::get();
    const uint64_t address = runtime.call(Allocate{bytes}).result.address;
    runtime.add({Allocation::Kind::device, address, bytes, 0, 0, 0, 0});
    return to_pointer(address);
}

void* allocate_in_order(uint64_t bytes, uint64_t stream) {
    if (!bytes)
        return nullptr;
    Runtime& runtime = Runtime::get();
    const uint64_t address = runtime.call(AllocateAsync{stream, bytes}).result.address;
    Allocation made{Allocation::Kind::device, address, bytes, 0, 0, 0, 0};
    made.in_stream_order = true;
    runtime.add(made);
    return to_pointer(address);
}

void* allocate_pitched(size_t* pitch, uint64_t width, uint64_t rows) {
    if (width > (uint64_t{1} << 40) || (rows && width > (uint64_t{1} << 46) / rows))
        fail(cudaErrorMemoryAllocation);
    *pitch = (width + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
    return allocate(*pitch * rows);
}

void report_freed_in_use(const Allocation& gone, const char* what, const void* site) {
    const auto pending = HostWatch::get().remove_range(gone.address, gone.bytes);
    if (!pending.empty())
        Runtime::get().report(HostMisuse::free_while_in_use, site,
                              std::string(what) + " frees memory that a copy still uses", pending.front().site,
                              "this copy is not known to be complete", "It happens to wait for the device here.");
}

void release_host(const Allocation& gone) {
    Runtime& runtime = Runtime::get();
    runtime.call(UnmapHost{gone.address});
    runtime.arena().release(gone.block);
}

/// The pointer, which should be freed, is not that of an allocation.
[[noreturn]] void fail_to_free(const void* pointer, const std::string& allocators) {
    if (const uint32_t freed = Runtime::get().freed_at(to_address(pointer)))
        throw Failure{cudaErrorInvalidValue, "the memory has been freed already", {}, freed};
    fail(cudaErrorInvalidValue, "the pointer was not returned by " + allocators);
}

void free_device(void* pointer, const void* site) {
    if (!pointer)
        return;
    Runtime& runtime = Runtime::get();
    Allocation found;
    if (!runtime.find(to_address(pointer), found))
        fail_to_free(pointer, "cudaMalloc");
    if (found.address != to_address(pointer))
        fail(cudaErrorInvalidValue, "the pointer is " + std::to_string(to_address(pointer) - found.address) +
                                        " bytes behind the beginning of an allocation");
    if (found.is_variable)
        fail(cudaErrorInvalidValue, "this is a __managed__ variable, which is never freed");
    if (found.kind != Allocation::Kind::device && found.kind != Allocation::Kind::managed)
        fail(cudaErrorInvalidValue, "this is pinned host memory: free it with cudaFreeHost");
    report_freed_in_use(found, "cudaFree", site);
    if (!found.in_stream_order)
        runtime.wait(Target::device, 0); // cudaFree waits for the device
    Allocation gone;
    if (!runtime.remove(found.address, gone))
        return;
    if (gone.kind == Allocation::Kind::managed)
        release_host(gone);
    else
        runtime.call(Release{gone.address});
}

void free_host(void* pointer, const void* site) {
    if (!pointer)
        return;
    Runtime& runtime = Runtime::get();
    Allocation gone;
    if (!runtime.find(to_address(pointer), gone) || gone.address != to_address(pointer) ||
        gone.kind != Allocation::Kind::pinned)
        fail_to_free(pointer, "cudaMallocHost or cudaHostAlloc");
    report_freed_in_use(gone, "cudaFreeHost", site);
    runtime.wait(Target::device, 0);
    if (runtime.remove(to_address(pointer), gone))
        release_host(gone);
}

void register_host(void* pointer, size_t bytes, unsigned flags) {
    if (!pointer || !bytes)
        fail(cudaErrorInvalidValue, "nothing to register");
    if (flags & cudaHostRegisterIoMemory)
        fail(cudaErrorNotSupported, "registering I/O memory is not supported");
    Runtime& runtime = Runtime::get();
    Allocation allocation{Allocation::Kind::registered, to_address(pointer), bytes, flags, 0, 0, 0};
    allocation.pages = allocation.address / HostArena::page * HostArena::page;
    allocation.page_bytes =
        (allocation.address + bytes + HostArena::page - 1) / HostArena::page * HostArena::page - allocation.pages;
    Allocation other;
    if (runtime.find(allocation.address, other) || runtime.find(allocation.address + bytes - 1, other))
        fail(cudaErrorHostMemoryAlreadyRegistered, "the memory is pinned already");
    if (runtime.registered_page(allocation.pages, allocation.page_bytes))
        fail(cudaErrorNotSupported, "two registered ranges share a page: align them to 4096 bytes");
    const auto here = to_address(__builtin_frame_address(0));
    if (here + HostArena::page >= allocation.pages && here < allocation.pages + allocation.page_bytes)
        fail(cudaErrorNotSupported, "stack memory in use cannot be registered: allocate it instead");
    allocation.block = runtime.arena().adopt(allocation.pages, allocation.page_bytes);
    if (!allocation.block)
        fail(cudaErrorMemoryAllocation, "the pages cannot be shared with the device");
    try {
        runtime.call(MapHost{allocation.address, allocation.block + (allocation.address - allocation.pages), bytes, 0});
    } catch (const Failure&) {
        runtime.arena().disown(allocation.pages, allocation.page_bytes, allocation.block);
        throw;
    }
    runtime.add(allocation);
}

void unregister_host(void* pointer, const void* site) {
    Runtime& runtime = Runtime::get();
    Allocation gone;
    if (!runtime.find(to_address(pointer), gone) || gone.address != to_address(pointer) ||
        gone.kind != Allocation::Kind::registered)
        fail(cudaErrorHostMemoryNotRegistered, "the memory is not registered");
    report_freed_in_use(gone, "cudaHostUnregister", site);
    runtime.wait(Target::device, 0);
    if (!runtime.remove(gone.address, gone))
        return;
    runtime.call(UnmapHost{gone.address});
    runtime.arena().disown(gone.pages, gone.page_bytes, gone.block);
}

} // namespace

} // namespace sim::cuda

using namespace sim::cuda;

ASYNCLAB_API cudaError_t cudaMalloc(void** result, size_t bytes) {
    return api("cudaMalloc", [&] {
        capture::refuse_unsafe_call();
        check(result);
        *result = allocate(bytes);
    });
}

ASYNCLAB_API cudaError_t cudaMallocPitch(void** result, size_t* pitch, size_t width, size_t height) {
    return api("cudaMallocPitch", [&] {
        check(result);
        check(pitch);
        *result = allocate_pitched(pitch, width, height);
    });
}

ASYNCLAB_API cudaError_t cudaMalloc3D(cudaPitchedPtr* result, cudaExtent extent) {
    return api("cudaMalloc3D", [&] {
        check(result);
        if (extent.depth && extent.height > (uint64_t{1} << 40) / extent.depth)
            fail(cudaErrorMemoryAllocation);
        size_t pitch = 0;
        result->ptr = allocate_pitched(&pitch, extent.width, extent.height * extent.depth);
        result->pitch = pitch;
        result->xsize = extent.width;
        result->ysize = extent.height;
    });
}

ASYNCLAB_API cudaError_t cudaFree(void* pointer) {
    const void* site = __builtin_return_address(0);
    return api("cudaFree", [&] { free_device(pointer, site); });
}

ASYNCLAB_API cudaError_t cudaMallocAsync(void** result, size_t bytes, cudaStream_t stream) {
    return api("cudaMallocAsync", [&] {
        check(result);
        if (capture::ongoing(stream)) {
            const graph::AllocateWork work = graph::set_aside(bytes);
            capture::add(stream, work);
            *result = to_pointer(work.address);
            return;
        }
        *result = allocate_in_order(bytes, Runtime::get().stream_id(stream));
    });
}

ASYNCLAB_API cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
    return api("cudaFreeAsync", [&] {
        Runtime& runtime = Runtime::get();
        if (capture::ongoing(stream)) {
            if (pointer)
                capture::add(stream, graph::FreeWork{to_address(pointer)});
            return;
        }
        const uint64_t id = runtime.stream_id(stream);
        Allocation gone;
        if (!pointer)
            return;
        if (!runtime.find(to_address(pointer), gone) || gone.address != to_address(pointer) ||
            gone.kind != Allocation::Kind::device)
            fail_to_free(pointer, "cudaMallocAsync or cudaMalloc");
        runtime.remove(gone.address, gone);
        runtime.call(FreeAsync{id, gone.address});
    });
}

ASYNCLAB_API cudaError_t cudaMallocHost(void** result, size_t bytes) {
    return api("cudaMallocHost", [&] {
        capture::refuse_unsafe_call();
        check(result);
        *result = bytes ? to_pointer(Runtime::get().map_host_block(bytes, Allocation::Kind::pinned, 0)) : nullptr;
    });
}

ASYNCLAB_API cudaError_t cudaHostAlloc(void** result, size_t bytes, unsigned flags) {
    return api("cudaHostAlloc", [&] {
        capture::refuse_unsafe_call();
        check(result);
        if (flags & ~(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
            fail(cudaErrorInvalidValue, "unknown flags");
        *result = bytes ? to_pointer(Runtime::get().map_host_block(bytes, Allocation::Kind::pinned, flags)) : nullptr;
    });
}

ASYNCLAB_API cudaError_t cudaFreeHost(void* pointer) {
    const void* site = __builtin_return_address(0);
    return api("cudaFreeHost", [&] { free_host(pointer, site); });
}

ASYNCLAB_API cudaError_t cudaMallocManaged(void** result, size_t bytes, unsigned flags) {
    return api("cudaMallocManaged", [&] {
        capture::refuse_unsafe_call();
        check(result);
        if (!bytes || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
            fail(cudaErrorInvalidValue);
        *result = to_pointer(Runtime::get().map_host_block(bytes, Allocation::Kind::managed, flags));
    });
}

ASYNCLAB_API cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
    return api("cudaHostRegister", [&] {
        capture::refuse_unsafe_call();
        register_host(pointer, bytes, flags);
    });
}

ASYNCLAB_API cudaError_t cudaHostUnregister(void* pointer) {
    const void* site = __builtin_return_address(0);
    return api("cudaHostUnregister", [&] { unregister_host(pointer, site); });
}

ASYNCLAB_API cudaError_t cudaHostGetDevicePointer(void** result, void* pointer, unsigned flags) {
    return api("cudaHostGetDevicePointer", [&] {
        check(result);
        Allocation found;
        if (flags || place_of(to_address(pointer)) != AddressKind::pinned)
            fail(cudaErrorInvalidValue, "only pinned or registered host memory has a device pointer");
        *result = pointer; // one address space for host and device
    });
}

ASYNCLAB_API cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
    return api("cudaHostGetFlags", [&] {
        check(flags);
        Allocation found;
        if (!Runtime::get().find(to_address(pointer), found) || found.kind == Allocation::Kind::device)
            fail(cudaErrorInvalidValue);
        *flags = found.flags | cudaHostAllocMapped;
    });
}

ASYNCLAB_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    return api("cudaPointerGetAttributes", [&] {
        check(attributes);
        std::memset(attributes, 0, sizeof *attributes);
        Allocation found;
        const bool known = Runtime::get().find(to_address(pointer), found);
        auto* address = const_cast<void*>(pointer);
        if (!known && place_of(to_address(pointer)) == AddressKind::pageable) {
            attributes->type = cudaMemoryTypeUnregistered;
            attributes->device = -2;
            attributes->hostPointer = address;
            return;
        }
        attributes->devicePointer = address;
        if (!known || found.kind == Allocation::Kind::device) {
            attributes->type = cudaMemoryTypeDevice;
        } else {
            attributes->type = found.kind == Allocation::Kind::managed ? cudaMemoryTypeManaged : cudaMemoryTypeHost;
            attributes->hostPointer = address;
        }
    });
}

ASYNCLAB_API cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    return api("cudaMemGetInfo", [&] {
        check(free);
        check(total);
        const MemoryInfo::Result memory = Runtime::get().call(MemoryInfo{}).result;
        *free = memory.free;
        *total = memory.total;
    });
}

// What an element of an array is made of. There are no arrays, but a description is no call of the device.
ASYNCLAB_API cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
    return {x, y, z, w, kind};
}

// nvcc --default-stream per-thread
ASYNCLAB_API cudaError_t cudaMallocAsync_ptsz(void** result, size_t bytes, cudaStream_t stream) {
    return cudaMallocAsync(result, bytes, per_thread(stream));
}
ASYNCLAB_API cudaError_t cudaFreeAsync_ptsz(void* pointer, cudaStream_t stream) {
    return cudaFreeAsync(pointer, per_thread(stream));
}
