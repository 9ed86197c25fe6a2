// The host copies a map to global memory as a whole, and the block acquires it with system scope.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

#ifndef SCOPE
#define SCOPE scope_sys
#endif

__device__ CUtensorMap published;

__global__ void load() {
    __shared__ alignas(128) int tile[8 * 32];
    __shared__ uint64_t filled;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&filled, 1);
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::SCOPE, &published, ptx::n32_t<128>{});
        const int at[] = {0, 0};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &published, at, &filled);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &filled, sizeof tile);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&filled, 0)) {
    }
}

int main() {
    void* matrix;
    cudaMalloc(&matrix, 64 * 32 * sizeof(int));
    cudaMemset(matrix, 0, 64 * 32 * sizeof(int));
    CUtensorMap map;
    const cuuint64_t dims[] = {64, 32}, strides[] = {64 * sizeof(int)};
    const cuuint32_t box[] = {32, 8}, steps[] = {1, 1};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, matrix, dims, strides, box, steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
#ifdef CHANGED
    map.opaque[0] += 1024;
#endif
    cudaMemcpyToSymbol(published, &map, sizeof map);
    load<<<1, 32>>>();
    cudaDeviceSynchronize();
    return 0;
}

// Other programs follow in the same file.
#undef SCOPE
#undef CHANGED
