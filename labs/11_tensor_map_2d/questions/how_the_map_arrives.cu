#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void twice(const CUtensorMap map, int* out) {
    __shared__ alignas(128) int tile[8][32];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        const int begin[] = {0, 0};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, begin, &full);
    }
    __syncwarp();
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    for (int y = 0; y < 8; ++y)
        out[y * 32 + threadIdx.x] = 2 * tile[y][threadIdx.x];
}

int main() {
    int* memory;
    cudaMalloc(&memory, 512 * sizeof(int));
    cudaMemset(memory, 0, 512 * sizeof(int));
    CUtensorMap map;
    const cuuint64_t size[] = {32, 8}, stride[] = {32 * sizeof(int)};
    const cuuint32_t box[] = {32, 8}, step[] = {1, 1};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, memory, size, stride, box, step,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    twice<<<1, 32>>>(map, memory + 256);
    cudaDeviceSynchronize();
}
