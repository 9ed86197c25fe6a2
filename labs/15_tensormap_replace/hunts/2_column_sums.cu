// Hunt 15.h2: column sums
// Persistent blocks add up the columns of matrices of different heights, each with a tensor map that the block makes
// for itself. On a small GPU all tests pass. On a larger one, with many matrices, sums are wrong or contain foreign
// values.
#include "lab.h"

#include <algorithm>
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int WIDTH = 32, HEIGHT = 8; // of a tile
constexpr int MAPS = 8;               // in global memory

struct Matrix {
    const float* in; // contiguous rows of 32 values
    float* sums;     // 32
    int rows, padding;
};

struct Shared {
    alignas(128) CUtensorMap scratch;
    alignas(128) float tile[HEIGHT][WIDTH];
    uint64_t full;
};

__device__ CUtensorMap maps[MAPS];

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// Makes `map` a map of the matrix. The block, which is one warp, may use it afterwards.
__device__ void make_map(CUtensorMap* map, CUtensorMap* scratch, const Matrix& matrix) {
    if (threadIdx.x == 0) {
        ptx::tensormap_replace_global_address(ptx::space_shared, scratch, matrix.in);
        ptx::tensormap_replace_global_dim(ptx::space_shared, scratch, ptx::n32_t<1>{}, matrix.rows);
    }
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, map, scratch, ptx::n32_t<128>{});
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, map, ptx::n32_t<128>{});
}

__global__ void __launch_bounds__(WIDTH)
    add_columns(const Matrix* batch, int count, const __grid_constant__ CUtensorMap form) {
    __shared__ Shared shared;
    CUtensorMap* map = &maps[blockIdx.x % MAPS];
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&shared.full, 1);
        shared.scratch = form;
    }
    __syncwarp();

    unsigned parity = 0;
    for (int m = blockIdx.x; m < count; m += gridDim.x) {
        const Matrix matrix = batch[m];
        make_map(map, &shared.scratch, matrix);
        float sum = 0;
        for (int y = 0; y < matrix.rows; y += HEIGHT, parity ^= 1) {
            if (threadIdx.x == 0) {
                const int at[] = {0, y};
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &shared.full,
                                               sizeof shared.tile);
                ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, shared.tile, map, at, &shared.full);
            }
            __syncwarp();
            wait(&shared.full, parity);
            for (const auto& row : shared.tile)
                sum += row[threadIdx.x]; // rows after the end are zero
            ptx::fence_proxy_async(ptx::space_shared);
            __syncwarp(); // all lanes have read the tile
        }
        matrix.sums[threadIdx.x] = sum;
    }
}

/// `batch`: `count` matrices, all in device memory, with at least one row each.
cudaError_t launch(const Matrix* batch, int count, cudaStream_t stream) {
    CUtensorMap form;
    const cuuint64_t size[] = {WIDTH, HEIGHT}, stride[] = {WIDTH * sizeof(float)};
    const cuuint32_t box[] = {WIDTH, HEIGHT}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&form, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, nullptr, size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    const int blocks = std::min(count, 4 * sms);
    add_columns<<<blocks, WIDTH, 0, stream>>>(batch, count, form);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
