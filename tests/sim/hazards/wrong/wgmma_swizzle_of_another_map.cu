// The tensor map permutes by 64 bytes, and the descriptor says 128. Its neighbour, clean/gemm_tma_wgmma.cu, has 128 in
// both.
// says: The tensor map of the copy has a swizzle of 64 bytes, but the descriptor says a swizzle of 128 bytes.
#include <cstdint>
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__device__ float out[128];

__global__ void multiply(const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(1024) uint16_t tile[64 * 8];
    __shared__ alignas(8) uint64_t full;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, 64 * 8);
        const int at[2] = {0, 0};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &full); // other
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
    }
    const uint64_t matrix = __cvta_generic_to_shared(tile) >> 4 | 1ull << 16 | 32ull << 32 | 1ull << 62;
    const uint32_t ones = 0x3f803f80;
    float d[4] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, "
                 "0, 1, 1, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(ones), "l"(matrix)); // error: wgmma-descriptor
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    out[threadIdx.x] = d[0];
}

int main() {
    void* in;
    cudaMalloc(&in, 64 * 8);
    cudaMemset(in, 0, 64 * 8);
    CUtensorMap map;
    cuuint64_t dim[2] = {32, 8}, stride[1] = {64};
    cuuint32_t box[2] = {32, 8}, each[2] = {1, 1};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, in, dim, stride, box, each,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    multiply<<<1, 128>>>(map);
    return cudaDeviceSynchronize();
}
