#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int POSITIONS = 8;

__device__ CUtensorMap map;

__global__ void load(const void* memory, const __grid_constant__ CUtensorMap form) {
    __shared__ alignas(128) CUtensorMap scratch;
    __shared__ alignas(128) char box[POSITIONS * 16 * LAYOUT];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        scratch = form;
        ptx::tensormap_replace_global_address(ptx::space_shared, &scratch, memory);
        ptx::tensormap_replace_global_stride(ptx::space_shared, &scratch, ptx::n32_t<0>{}, uint64_t{48});
        ptx::tensormap_replace_interleave_layout(ptx::space_shared, &scratch, ptx::n32_t<LAYOUT>{});
    }
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_cta, &map, &scratch, ptx::n32_t<128>{});
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_cta, &map, ptx::n32_t<128>{});
    if (threadIdx.x == 0) {
        const int at[] = {0, 0, 0};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof box);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, &map, at, &full);
    }
    __syncwarp();
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
}

int main() {
    void* memory;
    cudaMalloc(&memory, 4096);
    cudaMemset(memory, 0, 4096);
    CUtensorMap form; // (w, slice of channels, n)
    const cuuint64_t size[] = {POSITIONS, 2, 1}, stride[] = {64, 1024};
    const cuuint32_t box[] = {POSITIONS, 1, 1}, step[] = {1, 1, 1};
    cuTensorMapEncodeTiled(&form, CU_TENSOR_MAP_DATA_TYPE_UINT16, 3, memory, size, stride, box, step,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    load<<<1, 32>>>(memory, form);
    cudaDeviceSynchronize();
}
