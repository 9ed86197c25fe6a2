#include <cstdio>
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void add(const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(128) float tile[8][32];
    __shared__ uint64_t full;
    const int begin[] = {0, 0};
    ptx::mbarrier_init(&full, 1);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, begin, &full);
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    float sum = 0;
    for (int y = 0; y < 8; ++y)
        sum += tile[y][0];
    printf("answer: %g\n", sum);
}

int main() {
    float *matrix, ones[6][32];
    for (auto& row : ones)
        for (float& value : row)
            value = 1;
    cudaMalloc(&matrix, sizeof ones);
    cudaMemcpy(matrix, ones, sizeof ones, cudaMemcpyHostToDevice);
    CUtensorMap map;
    const cuuint64_t size[] = {32, 6}, stride[] = {32 * sizeof(float)};
    const cuuint32_t box[] = {32, 8}, step[] = {1, 1};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, matrix, size, stride, box, step,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CUtensorMapFloatOOBfill(FILL));
    add<<<1, 1>>>(map);
    cudaDeviceSynchronize();
}
