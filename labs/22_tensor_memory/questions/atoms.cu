#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cuda/ptx>

__device__ unsigned where;

// Finds the first word of a 32-byte chunk in the tile.
__global__ void look(const __grid_constant__ CUtensorMap map) {
    namespace ptx = cuda::ptx;
    __shared__ alignas(1024) unsigned tile[8 * 32];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        const int at[] = {0, 0};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &full);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    for (unsigned i = 0; i < 8 * 32; ++i)
        if (tile[i] == ROW * 32 + CHUNK * 8)
            where = i / 8 % 4;
}

int main() {
    unsigned values[8 * 32], *in, found;
    for (unsigned i = 0; i < 8 * 32; ++i)
        values[i] = i;
    cudaMalloc(&in, sizeof values);
    cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
    CUtensorMap map;
    const cuuint64_t size[] = {32, 8}, stride[] = {128};
    const cuuint32_t box[] = {32, 8}, step[] = {1, 1};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, in, size, stride, box, step,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B,
                           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    look<<<1, 1>>>(map);
    cudaMemcpyFromSymbol(&found, where, sizeof found);
    std::printf("answer: %u\n", found);
}
