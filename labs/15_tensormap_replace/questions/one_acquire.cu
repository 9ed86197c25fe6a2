#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int WIDTH = 32;

__device__ CUtensorMap map;

__global__ void __cluster_dims__(2) load(const void* memory, const __grid_constant__ CUtensorMap form) {
    __shared__ alignas(128) CUtensorMap scratch;
    __shared__ alignas(128) int row[WIDTH];
    __shared__ uint64_t full;
    const auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&full, 1);
    if (cluster.block_rank() == 0) {
        if (threadIdx.x == 0) {
            scratch = form;
            ptx::tensormap_replace_global_address(ptx::space_shared, &scratch, memory);
        }
        __syncwarp();
        ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, &map, &scratch, ptx::n32_t<128>{});
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, &map, ptx::n32_t<128>{});
    }
    cluster.sync();
    if (cluster.block_rank() == 1 && threadIdx.x == 0) {
        const int at[] = {0, 0};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof row);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, row, &map, at, &full);
        while (!ptx::mbarrier_try_wait_parity(&full, 0))
            ;
    }
}

int main() {
    void* memory;
    cudaMalloc(&memory, 4096);
    cudaMemset(memory, 0, 4096);
    CUtensorMap form;
    const cuuint64_t size[] = {WIDTH, 8}, stride[] = {WIDTH * sizeof(int)};
    const cuuint32_t box[] = {WIDTH, 1}, step[] = {1, 1};
    cuTensorMapEncodeTiled(&form, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, nullptr, size, stride, box, step,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    load<<<2, 32>>>(memory, form);
    cudaDeviceSynchronize();
}
