// expect: case "a tile behind other data"
// The offset is counted in rows of the pattern, not in units.
// Drill 13.4: the base offset
// As in drill 2, a tile is loaded with the 128-byte swizzle. But other data comes before it, so the tile begins at a
// multiple of 128 bytes and not at one of 1024. The pattern belongs to addresses: line 0 of the tile is some other line
// of the pattern. Compute the base offset and use it in the index.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int UNITS = 8, ROWS = 16; // a row has eight units of 16 bytes: one line
constexpr int THREADS = UNITS * ROWS;

struct alignas(1024) Shared {
    uint32_t counters[96]; // 384 bytes
    alignas(128) uint4 tile[ROWS][UNITS];
    uint64_t full;
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

__global__ void __launch_bounds__(THREADS)
    transpose(const __grid_constant__ CUtensorMap map, uint4* out, uint32_t* counts) {
    __shared__ Shared shared;
    for (int i = threadIdx.x; i < 96; i += THREADS)
        shared.counters[i] = i;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&shared.full, 1);
        const int at[] = {0, 0};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &shared.full,
                                       sizeof shared.tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, shared.tile, &map, at, &shared.full);
    }
    __syncthreads();
    wait(&shared.full, 0);
    const unsigned row = threadIdx.x % ROWS, unit = threadIdx.x / ROWS;
    [[maybe_unused]] const unsigned address = __cvta_generic_to_shared(shared.tile);

    // TODO(1): in which line of the pattern does the tile begin? A line has 128 bytes, and there are eight.
    const unsigned offset = address / 16 % 8;
    // END TODO(1)

    out[threadIdx.x] = shared.tile[row][unit ^ (row + offset) % 8];
    if (threadIdx.x < 96)
        counts[threadIdx.x] = shared.counters[threadIdx.x];
}

/// `in`: 16 rows of eight units. `out`: eight rows of 16 units, the transpose. `counts`: the numbers 0 to 95.
cudaError_t launch(const uint4* in, uint4* out, uint32_t* counts, cudaStream_t stream) {
    CUtensorMap map;
    const int rows = ROWS;
    const cuuint64_t size[] = {4 * cuuint64_t(UNITS), cuuint64_t(rows)}, stride[] = {16 * UNITS};
    const cuuint32_t box[] = {4 * UNITS, ROWS}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, const_cast<uint4*>(in), size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    transpose<<<1, THREADS, 0, stream>>>(map, out, counts);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
