// The encoding fails, nobody looks at its result, and the kernel uses what was in the variable before.
// says: These 128 bytes are no tensor map
#include <cstring>
#include <cuda.h>
#include <cuda/ptx>

__global__ void load(const __grid_constant__ CUtensorMap map) {
    namespace ptx = cuda::ptx;
    __shared__ alignas(128) float tile[32 * 32];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        const int at[] = {0, 0};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &full);
        // error 2: invalid-tensor-map
        while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
        }
    }
}

int main() {
    float* data;
    cudaMalloc(&data, 64 * 64 * 4);
    CUtensorMap map;
    std::memset(&map, 0x5a, sizeof map);
    const cuuint64_t sizes[] = {64, 64}, strides[] = {256};
    const cuuint32_t box[] = {32, 32}, steps[] = {1, 1};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, data, sizes, strides, box, steps,
                           // error 1: failed-call
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    load<<<1, 32>>>(map);
    return cudaDeviceSynchronize() != cudaSuccess;
}

/*
== clean/map_that_is_one
128 bytes are as wide as this swizzle allows.

-    __shared__ alignas(128) float tile[32 * 32];
+    __shared__ alignas(1024) float tile[32 * 32];

-    cudaMalloc(&data, 64 * 64 * 4);
+    cudaMalloc(&data, 64 * 64 * 4);
+    cudaMemset(data, 0, 64 * 64 * 4);

-                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
+                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
*/
