#include <cstdio>
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int UNITS = 8, ROWS = 8;

__device__ uint4 rows[ROWS][UNITS];

__global__ void fill() {
    for (auto& row : rows)
        for (unsigned u = 0; u < UNITS; ++u)
            row[u] = {u, u, u, u};
}

__global__ void print_line(const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(1024) uint4 tile[ROWS][UNITS];
    __shared__ uint64_t full;
    ptx::mbarrier_init(&full, 1);
    const int at[] = {0, 0};
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &full);
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    const uint4* line = tile[ROW];
    printf("answer: %u %u %u %u %u %u %u %u\n", line[0].x, line[1].x, line[2].x, line[3].x, line[4].x, line[5].x,
           line[6].x, line[7].x);
}

int main() {
    void* address;
    cudaGetSymbolAddress(&address, rows);
    CUtensorMap map;
    const cuuint64_t size[] = {4 * UNITS, ROWS}, stride[] = {16 * UNITS};
    const cuuint32_t box[] = {4 * UNITS, ROWS}, step[] = {1, 1};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, address, size, stride, box, step,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    fill<<<1, 1>>>();
    print_line<<<1, 1>>>(map);
    cudaDeviceSynchronize();
}
