// Hunt 11.h1: pooling at the edge
// Max pooling: the largest value of each window of 8 rows and 32 columns. Windows at the right and lower edge reach out
// of the picture. The results there are sometimes 0, although no pixel of the picture is 0. Inside the picture
// everything is right.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

// Returns when the phase of that parity is complete.
__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

#include <cmath>

constexpr int WIDTH = 32, HEIGHT = 8; // of a window

// One warp for each window.
__global__ void max_pool(const __grid_constant__ CUtensorMap map, float* out) {
    __shared__ alignas(128) float window[HEIGHT][WIDTH];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
        ptx::mbarrier_init(&full, 1);
        const int begin[] = {int(blockIdx.x) * WIDTH, int(blockIdx.y) * HEIGHT};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof window);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, window, &map, begin, &full);
    }
    __syncwarp();
    wait(&full, 0);

    float most = -INFINITY;
    for (int y = 0; y < HEIGHT; ++y)
        most = fmaxf(most, window[y][threadIdx.x]); // of a number and a NaN, fmaxf takes the number
    for (int distance = 16; distance > 0; distance /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, distance));
    if (threadIdx.x == 0)
        out[blockIdx.y * gridDim.x + blockIdx.x] = most;
}

/// A map of the picture, for boxes of one window.
CUresult make_map(CUtensorMap* map, float* picture, int rows, int columns) {
    const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, stride[] = {columns * sizeof(float)};
    const cuuint32_t box[] = {WIDTH, HEIGHT}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, picture, size, stride, box, step,
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
}

/// `picture` has `rows` rows of `columns` pixels, columns a multiple of 4, 16-byte aligned. `out`: one for each window.
cudaError_t launch(float* picture, int rows, int columns, float* out, cudaStream_t stream) {
    CUtensorMap map;
    if (make_map(&map, picture, rows, columns) != CUDA_SUCCESS)
        return cudaErrorInvalidValue;
    const dim3 grid((columns + WIDTH - 1) / WIDTH, (rows + HEIGHT - 1) / HEIGHT);
    max_pool<<<grid, WIDTH, 0, stream>>>(map, out);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
