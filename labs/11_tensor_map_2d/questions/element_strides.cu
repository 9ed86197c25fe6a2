#include <cstdio>
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void show(const __grid_constant__ CUtensorMap map, unsigned bytes) {
    __shared__ alignas(128) int tile[4][8];
    __shared__ uint64_t full;
    const int begin[] = {0, 0};
    ptx::mbarrier_init(&full, 1);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, bytes);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, begin, &full);
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    printf("answer: %d %d\n", tile[0][1], tile[1][0]);
}

int main() {
    int *matrix, values[16][16];
    for (int y = 0; y < 16; ++y)
        for (int x = 0; x < 16; ++x)
            values[y][x] = 100 * y + x;
    cudaMalloc(&matrix, sizeof values);
    cudaMemcpy(matrix, values, sizeof values, cudaMemcpyHostToDevice);
    CUtensorMap map;
    const cuuint64_t size[] = {16, 16}, stride[] = {16 * sizeof(int)};
    const cuuint32_t box[] = {8, 4 * S1}, step[] = {S0, S1};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, matrix, size, stride, box, step,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    show<<<1, 1>>>(map, 4 * 8 * sizeof(int));
    cudaDeviceSynchronize();
}
