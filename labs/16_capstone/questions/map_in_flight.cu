#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int WIDTH = 32, TILES = 4;

__device__ CUtensorMap map;

__global__ void load_rows(const int* memory, int* out, const __grid_constant__ CUtensorMap form) {
    __shared__ alignas(128) CUtensorMap scratch;
    __shared__ alignas(128) int rows[TILES][WIDTH];
    __shared__ uint64_t full[TILES];
    if (threadIdx.x == 0)
        scratch = form;
    if (threadIdx.x < TILES)
        ptx::mbarrier_init(&full[threadIdx.x], 1);
    __syncwarp();
    for (int k = 0; k < TILES; ++k) {
        if (threadIdx.x == 0)
            ptx::tensormap_replace_global_address(ptx::space_shared, &scratch, memory + k * WIDTH);
        __syncwarp();
        ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_cta, &map, &scratch, ptx::n32_t<128>{});
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_cta, &map, ptx::n32_t<128>{});
        if (threadIdx.x == 0) {
            const int at[] = {0, 0};
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[k],
                                           sizeof rows[k]);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, rows[k], &map, at, &full[k]);
        }
        __syncwarp();
    }
    for (int k = 0; k < TILES; ++k) {
        while (!ptx::mbarrier_try_wait_parity(&full[k], 0))
            ;
        out[k * WIDTH + threadIdx.x] = rows[k][threadIdx.x];
    }
}

int main() {
    int* memory;
    cudaMalloc(&memory, 2 * TILES * WIDTH * sizeof(int));
    cudaMemset(memory, 0, 2 * TILES * WIDTH * sizeof(int));
    CUtensorMap form;
    const cuuint64_t size[] = {WIDTH, 1}, stride[] = {WIDTH * sizeof(int)};
    const cuuint32_t box[] = {WIDTH, 1}, step[] = {1, 1};
    cuTensorMapEncodeTiled(&form, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, nullptr, size, stride, box, step,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    load_rows<<<1, 32>>>(memory, memory + TILES * WIDTH, form);
    cudaDeviceSynchronize();
}
