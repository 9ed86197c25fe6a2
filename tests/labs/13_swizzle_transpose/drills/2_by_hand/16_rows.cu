// expect: case "16 rows"
// The shift is one too many: it brings bit 8 to bit 4.
// Drill 13.2: the XOR by hand
// The copy unit loads 16 rows of 128 bytes with the 128-byte swizzle: it XORs bits 4 to 6 of each shared address with
// bits 7 to 9. The tile begins at a multiple of 1024, so the same holds for offsets into the tile. Compute the offset
// at which the copy unit puts the byte whose offset would be `linear` without a swizzle.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int UNITS = 8, ROWS = 16; // a row has eight units of 16 bytes
constexpr int THREADS = UNITS * ROWS;

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

__device__ unsigned swizzled(unsigned linear) {
    // TODO(1): bits 4 to 6 are the mask 0x70. Where are bits 7 to 9 after a shift by three?
    return linear ^ (linear >> 4 & 0x70);
    // END TODO(1)
}

__global__ void __launch_bounds__(THREADS) transpose(const __grid_constant__ CUtensorMap map, uint4* out) {
    __shared__ alignas(1024) char tile[ROWS * UNITS * 16];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        const int at[] = {0, 0};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &full);
    }
    __syncthreads();
    wait(&full, 0);
    const unsigned row = threadIdx.x % ROWS, unit = threadIdx.x / ROWS;
    out[threadIdx.x] = *reinterpret_cast<const uint4*>(tile + swizzled((row * UNITS + unit) * 16));
}

/// `in`: 16 rows of eight units. `out`: eight rows of 16 units, the transpose.
cudaError_t launch(const uint4* in, uint4* out, cudaStream_t stream) {
    CUtensorMap map;
    const int rows = ROWS;
    const cuuint64_t size[] = {4 * cuuint64_t(UNITS), cuuint64_t(rows)}, stride[] = {16 * UNITS};
    const cuuint32_t box[] = {4 * UNITS, ROWS}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, const_cast<uint4*>(in), size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    transpose<<<1, THREADS, 0, stream>>>(map, out);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
