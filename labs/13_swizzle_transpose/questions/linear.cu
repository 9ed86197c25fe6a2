#include <cstdio>
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int SPAN = 16 << MODE; // of the swizzle, in bytes, and the length of a row
constexpr int WORDS = SPAN / 4, ROWS = 1024 / SPAN;

__device__ uint32_t data[256];

__global__ void fill() {
    for (int i = 0; i < 256; ++i)
        data[i] = i;
}

__global__ void compare(const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(1024) uint32_t tile[256];
    __shared__ uint64_t full;
    ptx::mbarrier_init(&full, 1);
    const int at[] = {0, 0};
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &full);
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    int right = 0;
    for (int unit = 0; unit < 64; ++unit)
        right += tile[4 * unit] == 4 * unit;
    printf("answer: %d\n", right);
}

int main() {
    void* address;
    cudaGetSymbolAddress(&address, data);
    CUtensorMap map;
    const cuuint64_t size[] = {WORDS, ROWS}, stride[] = {SPAN};
    const cuuint32_t box[] = {WORDS, ROWS}, step[] = {1, 1};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, address, size, stride, box, step,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CUtensorMapSwizzle(MODE), CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    fill<<<1, 1>>>();
    compare<<<1, 1>>>(map);
    cudaDeviceSynchronize();
}
