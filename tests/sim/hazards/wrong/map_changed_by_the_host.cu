// The map is opaque, and the program changes some of its bytes.
// says: The map (box 32 x 8 of s32) cannot be used: some of its 128 bytes have been changed by an ordinary write; a map is opaque: copy it as a whole, and change it with cuTensorMapReplaceAddress on the host or tensormap.replace on the device.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__device__ CUtensorMap published;

__global__ void load() {
    __shared__ alignas(128) int tile[8 * 32];
    __shared__ uint64_t filled;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&filled, 1);
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_sys, &published, ptx::n32_t<128>{});
        const int at[] = {0, 0};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &published, at, &filled);
        // error: invalid-tensor-map
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
    map.opaque[0] += 1024;
    cudaMemcpyToSymbol(published, &map, sizeof map);
    load<<<1, 32>>>();
    cudaDeviceSynchronize();
    return 0;
}

/*
== clean/map_of_the_host_acquired
The host copies a map to global memory as a whole, and the block acquires it with system scope.

-    map.opaque[0] += 1024;

== wrong/map_of_the_host_acquired_from_the_device
A note: the acquire has device scope, which does not include the host.
says: The host wrote this map to global memory, and the acquire's scope does not include the host: the programming guide requires system scope.

-        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_sys, &published, ptx::n32_t<128>{});
+        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, &published, ptx::n32_t<128>{});

         ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &published, at, &filled);
+        // note: map-without-acquire

-    map.opaque[0] += 1024;
*/
