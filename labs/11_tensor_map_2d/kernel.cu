// Lab 11: tiles of a matrix, described by a tensor map. One warp adds up one tile; elements outside the matrix count
// as 0. sums[ty][tx] is the sum (modulo 2^32) of tile (tx, ty), for as many tiles as it takes to cover the matrix:
// `across` in a row.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

#include "tma.h" // in common/check/student: elected()

namespace ptx = cuda::ptx;

constexpr int WIDTH = 64, HEIGHT = 16; // of a tile: 4 KiB

__device__ void sum_tile(const CUtensorMap* map, uint32_t* sums, int across) {
    [[maybe_unused]] const int tx = blockIdx.x % across, ty = blockIdx.x / across;
    // TODO(2): align the tile to 128 bytes.
    __shared__ uint32_t tile[HEIGHT][WIDTH]; // placeholder
    // END TODO(2)
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&full, 1);
    __syncwarp();

    if (elected()) {
        // TODO(3): where does the tile begin, in elements, and in which order? How many bytes will arrive?
        const int begin[] = {tx, ty}; // placeholder
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, begin, &full);
        // END TODO(3)
    }
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;

    uint32_t sum = 0;
    for (int i = threadIdx.x; i < HEIGHT * WIDTH; i += 32) // no test for the edge of the matrix
        sum += tile[i / WIDTH][i % WIDTH];
    sum = __reduce_add_sync(~0u, sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

// Three ways to pass a map.
__constant__ CUtensorMap constant_map;

// All launches share `constant_map`, so they take turns. Each waits in its stream for this event, before it changes the
// map, and records the event after its kernel.
cudaEvent_t constant_map_is_free() {
    static const cudaEvent_t event = [] {
        cudaEvent_t made = nullptr;
        cudaEventCreateWithFlags(&made, cudaEventDisableTiming);
        return made;
    }();
    return event;
}

// TODO(4): pass the map as a parameter that is not copied for each thread, in constant memory, and by pointer.
__global__ void by_parameter(CUtensorMap map, uint32_t* sums, int across) { // placeholder
    sum_tile(&map, sums, across);
}
__global__ void by_constant(uint32_t* sums, int across) {
    sum_tile(&constant_map, sums, across);
}
__global__ void by_pointer(const CUtensorMap* map, uint32_t* sums, int across) {
    sum_tile(map, sums, across);
}
// END TODO(4)

/// Makes a map of the matrix for boxes of one tile. A row begins every `pitch` elements.
CUresult make_map(CUtensorMap* map, uint32_t* matrix, int rows, int columns, int pitch) {
    // TODO(1): sizes and box in elements, strides in bytes; the dimension whose elements are contiguous comes first.
    const cuuint64_t size[] = {cuuint64_t(rows), cuuint64_t(columns)}; // placeholder
    const cuuint64_t stride[] = {16};
    const cuuint32_t box[] = {HEIGHT, WIDTH};
    // END TODO(1)
    const cuuint32_t step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, matrix, size, stride, box, step,
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

enum class Way : int { parameter, constant, pointer };

/// `matrix`: rows of `columns` elements in device memory, one every `pitch` elements, all 16-byte aligned. `sums`: one
/// number for each tile, row by row. `room`: 128 bytes of device memory, 64-byte aligned, for a map.
cudaError_t launch(Way way, uint32_t* matrix, int rows, int columns, int pitch, uint32_t* sums, CUtensorMap* room,
                   cudaStream_t stream) {
    if (rows == 0 || columns == 0)
        return cudaSuccess;
    CUtensorMap map;
    if (make_map(&map, matrix, rows, columns, pitch) != CUDA_SUCCESS)
        return cudaErrorInvalidValue;
    const int across = (columns + WIDTH - 1) / WIDTH, tiles = across * ((rows + HEIGHT - 1) / HEIGHT);
    // TODO(5): copy the map to where the kernel reads it. A launch in another stream may still use constant_map.
    if (way == Way::parameter) // placeholder
        by_parameter<<<tiles, 32, 0, stream>>>(map, sums, across);
    else if (way == Way::constant)
        by_constant<<<tiles, 32, 0, stream>>>(sums, across);
    else
        by_pointer<<<tiles, 32, 0, stream>>>(room, sums, across);
    // END TODO(5)
    return cudaGetLastError();
}

LAB_ENTRY(launch)
