#include "sim/cuda/program/copies.h"

#include <algorithm>
#include <cstring>

#include "sim/cuda/program/capture.h"
#include "sim/cuda/program/graph.h"
#include "sim/cuda/program/session.h"

namespace sim::cuda {

namespace {

const char* name_of(AddressKind place) {
    switch (place) {
    case AddressKind::device:
        return "device memory";
    case AddressKind::pinned:
        return "pinned or managed host memory";
    case AddressKind::pageable:
        return "ordinary host memory";
    }
    return "?";
}

void check_direction(AddressKind destination, AddressKind source, cudaMemcpyKind kind) {
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        fail(cudaErrorInvalidMemcpyDirection, "the direction is none of cudaMemcpyKind");
    if (kind == cudaMemcpyDefault)
        return;
    // Pinned and managed memory can be reached from both sides, so either direction may name it.
    const auto wrong = [](bool device, AddressKind place) {
        return device ? place == AddressKind::pageable : place == AddressKind::device;
    };
    if (wrong(to_device, destination))
        fail(cudaErrorInvalidValue, std::string("the destination is ") + name_of(destination) +
                                        ", which the direction given contradicts (are the arguments swapped?)");
    if (wrong(from_device, source))
        fail(cudaErrorInvalidValue, std::string("the source is ") + name_of(source) +
                                        ", which the direction given contradicts (are the arguments swapped?)");
}

/// Rows that follow one another without a gap are one row.
void flatten(Box& box) {
    if (box.height > 1 && box.destination_pitch == box.width && box.source_pitch == box.width) {
        const bool whole = box.depth == 1 || (box.destination_slice == box.width * box.height &&
                                              box.source_slice == box.width * box.height);
        if (whole) {
            box.width *= box.height * box.depth;
            box.height = box.depth = 1;
        }
    }
}

Copy command(const Box& box, uint64_t stream) {
    return {stream,
            box.destination,
            box.source,
            box.width,
            box.height,
            box.depth,
            box.destination_pitch,
            box.source_pitch,
            box.destination_slice,
            box.source_slice,
            0,
            0};
}

void tightly(uint64_t& address, uint64_t& pitch, uint64_t& slice, uint64_t block, const Box& box) {
    address = block;
    pitch = box.width;
    slice = box.width * box.height;
}

void copy_from_pageable(const Box& box, uint64_t stream, Blocking blocking, const void* site) {
    Runtime& runtime = Runtime::get();
    const bool functions_first = runtime.expects_host_calls();
    // "For transfers from pageable host memory to device memory, a stream sync is performed before the copy is
    // initiated."
    if (functions_first && blocking == Blocking::synchronous)
        runtime.wait(Target::stream, stream);
    const uint64_t block = runtime.arena().allocate(box.width * box.height * box.depth);
    if (!block)
        fail(cudaErrorMemoryAllocation, "no room to stage a copy from pageable memory");
    uint64_t next = block;
    each_row(box, [&](uint64_t, uint64_t source) {
        std::memcpy(to_pointer(next), to_pointer(source), box.width);
        next += box.width;
    });
    const bool too_early = functions_first && blocking == Blocking::asynchronous;
    copy_from_staging(box, block, stream, too_early ? site : nullptr);
    if (blocking == Blocking::synchronous)
        runtime.wait_until_staged(stream);
}

void copy_to_pageable(const Box& box, uint64_t stream) {
    Runtime& runtime = Runtime::get();
    const uint64_t block = runtime.arena().allocate(box.width * box.height * box.depth);
    if (!block)
        fail(cudaErrorMemoryAllocation, "no room to stage a copy to pageable memory");
    try {
        copy_to_staging(box, block, stream);
        runtime.wait(Target::stream, stream);
    } catch (const Failure&) {
        runtime.arena().release(block);
        throw;
    }
    uint64_t next = block;
    each_row(box, [&](uint64_t destination, uint64_t) {
        std::memcpy(to_pointer(destination), to_pointer(next), box.width);
        next += box.width;
    });
    runtime.arena().release(block);
}

void watch(const Box& box, uint64_t ticket, bool destination, const void* site) {
    for (uint64_t z = 0; z < box.depth; ++z) {
        WatchedCopy copy;
        copy.ticket = ticket;
        copy.address = destination ? box.destination + z * box.destination_slice : box.source + z * box.source_slice;
        copy.width = box.width;
        copy.rows = box.height;
        copy.pitch = destination ? box.destination_pitch : box.source_pitch;
        copy.destination = destination;
        copy.site = site;
        Runtime::get().track_watched(copy);
    }
}

} // namespace

void copy_from_staging(const Box& box, uint64_t block, uint64_t stream, const void* site) {
    Runtime& runtime = Runtime::get();
    Box staged = box;
    tightly(staged.source, staged.source_pitch, staged.source_slice, block, box);
    Copy copy = command(staged, stream);
    copy.staged = 1;
    copy.watch = 2;
    uint64_t ticket = 0;
    try {
        ticket = runtime.call(copy).result.ticket;
    } catch (const Failure&) {
        runtime.arena().release(block);
        throw;
    }
    if (site)
        runtime.track_staging(ticket, block, box, site);
    else
        runtime.track_staging(ticket, block);
}

void copy_to_staging(Box box, uint64_t block, uint64_t stream) {
    tightly(box.destination, box.destination_pitch, box.destination_slice, block, box);
    Copy copy = command(box, stream);
    copy.staged = 1;
    Runtime::get().call(copy);
}

void copy_without_staging(const Box& box, uint64_t stream, const void* site) {
    Runtime& runtime = Runtime::get();
    const AddressKind destination = place_of(box.destination), source = place_of(box.source);
    Copy copy = command(box, stream);
    copy.watch = destination == AddressKind::pinned || source == AddressKind::pinned ? 1 : 0;
    const uint64_t ticket = runtime.call(copy).result.ticket;
    if (copy.watch)
        watch(box, ticket, destination == AddressKind::pinned, site);
}

void check_size(uint64_t bytes) {
    if (const auto size = static_cast<int64_t>(bytes); size < 0)
        fail(cudaErrorInvalidValue, "the size is " + std::to_string(size) +
                                        " as a signed number: a difference the wrong way round, or a product that "
                                        "does not fit into its type");
}

AddressKind place_of(uint64_t address) {
    if (address >= device_base && address - device_base < device_bytes)
        return AddressKind::device;
    Allocation found;
    if (!Runtime::get().find(address, found)) {
        if (address >= host_base && address - host_base < host_bytes)
            throw Failure{cudaErrorInvalidValue,
                          "the pinned memory has been freed, or was never allocated",
                          {},
                          Runtime::get().freed_at(address)};
        return AddressKind::pageable;
    }
    return found.kind == Allocation::Kind::device ? AddressKind::device : AddressKind::pinned;
}

void copy_box(Box box, cudaMemcpyKind kind, cudaStream_t handle, Blocking blocking, const void* site) {
    Runtime& runtime = Runtime::get();
    const bool captured = blocking == Blocking::asynchronous && capture::ongoing(handle);
    const uint64_t stream = captured ? 0 : runtime.stream_id(handle);
    if (blocking == Blocking::synchronous)
        capture::refuse_unsafe_call();
    if (!box.width || !box.height || !box.depth)
        return;
    if (!box.destination || !box.source)
        fail(cudaErrorInvalidValue, "a null pointer");
    check_size(box.width);
    if (box.height > 1 && (box.destination_pitch < box.width || box.source_pitch < box.width))
        fail(cudaErrorInvalidPitchValue, "a pitch is smaller than the width (both are in bytes)");
    flatten(box);
    const AddressKind destination = place_of(box.destination), source = place_of(box.source);
    check_direction(destination, source, kind);
    if (captured)
        return graph::put(handle, graph::CopyWork{box, kind, site});

    if (destination != AddressKind::device && source != AddressKind::device) {
        // "For transfers from any host memory to any host memory, the function is fully synchronous."
        runtime.wait(Target::stream, stream);
        each_row(box, [&](uint64_t to, uint64_t from) { std::memmove(to_pointer(to), to_pointer(from), box.width); });
        return;
    }
    if (source == AddressKind::pageable || destination == AddressKind::pageable) {
        const bool may_be_too_early = source == AddressKind::pageable && runtime.expects_host_calls();
        if (blocking == Blocking::asynchronous && !may_be_too_early && Session::get().first_time(site))
            runtime.report(HostMisuse::pageable_copy, site,
                           source == AddressKind::pageable ? "the source of this copy is pageable memory"
                                                           : "the destination of this copy is pageable memory",
                           nullptr, {},
                           source == AddressKind::pageable
                               ? "The host copies it into a staging buffer before the call returns."
                               : "The call returns only once the copy is complete.");
        if (source == AddressKind::pageable)
            copy_from_pageable(box, stream, blocking, site);
        else
            copy_to_pageable(box, stream);
        return;
    }
    // "For transfers from device memory to device memory, no host-side synchronization is performed": managed memory is
    // that if the program says so.
    const bool on_device = kind == cudaMemcpyDeviceToDevice;
    if (blocking == Blocking::asynchronous || on_device)
        return copy_without_staging(box, stream, site);
    runtime.call(command(box, stream));
    if (destination == AddressKind::pinned || source == AddressKind::pinned)
        runtime.wait(Target::stream, stream);
}

} // namespace sim::cuda
