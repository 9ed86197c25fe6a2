// What all copy functions share: which side is where, and when a copy makes the host wait.
#pragma once

#include "sim/cuda/program/runtime.h"

namespace sim::cuda {

/// `depth` slices of `height` rows of `width` bytes.
struct Box {
    uint64_t destination = 0, source = 0;
    uint64_t width = 0, height = 1, depth = 1;
    uint64_t destination_pitch = 0, source_pitch = 0;
    uint64_t destination_slice = 0, source_slice = 0;
};

/// Calls row(destination, source) for each row.
template <typename Row>
void each_row(const Box& box, Row row) {
    for (uint64_t z = 0; z < box.depth; ++z)
        for (uint64_t y = 0; y < box.height; ++y)
            row(box.destination + z * box.destination_slice + y * box.destination_pitch,
                box.source + z * box.source_slice + y * box.source_pitch);
}

enum class Blocking : uint8_t {
    synchronous, ///< cudaMemcpy: the host waits as the manual's table for synchronous copies says
    asynchronous ///< cudaMemcpyAsync
};
constexpr auto blocking = Blocking::synchronous, queued = Blocking::asynchronous;

/// Refuses a size that is negative as a signed number.
void check_size(uint64_t bytes);

/// Copies in `stream`. `site`: return address of the API call. Throws Failure.
/// Source: CUDA Runtime API, "API synchronization behavior".
void copy_box(Box box, cudaMemcpyKind kind, cudaStream_t stream, Blocking blocking, const void* site);

/// Puts a copy into a stream of the device: between memory that the device reaches,
void copy_without_staging(const Box& box, uint64_t stream, const void* site);
/// from a block of staging memory, which is released when the copy has run (`site`: of a call whose source may be
/// written too late, see StagedSources),
void copy_from_staging(const Box& box, uint64_t block, uint64_t stream, const void* site = nullptr);
/// or to one, which stays. The rows are there without gaps.
void copy_to_staging(Box box, uint64_t block, uint64_t stream);

inline void copy_bytes(void* destination, const void* source, uint64_t bytes, cudaMemcpyKind kind, cudaStream_t stream,
                       Blocking blocking, const void* site) {
    Box box;
    box.destination = to_address(destination);
    box.source = to_address(source);
    box.width = bytes;
    copy_box(box, kind, stream, blocking, site);
}

/// Where memory is, as far as a copy cares.
enum class AddressKind : uint8_t { device, pinned, pageable };
AddressKind place_of(uint64_t address);

} // namespace sim::cuda
