// A load is committed to a bulk group, and its issuer waits until the group has read: the map may change, although the
// load is in flight. (PTX ISA, cp.async.bulk.tensor: a bulk group may track the reading of a load's tensor map.)
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__device__ CUtensorMap published;
__device__ int out[2];

__global__ void load_twice(const __grid_constant__ CUtensorMap first, int* second_matrix) {
    __shared__ alignas(128) int tile[2][8 * 32];
    __shared__ alignas(128) CUtensorMap draft;
    __shared__ uint64_t filled[2];
    const int i = threadIdx.x;
    const int at[] = {0, 0};
    if (i == 0) {
        ptx::mbarrier_init(&filled[0], 1);
        ptx::mbarrier_init(&filled[1], 1);
        draft = first;
    }
    __syncthreads();
    if (i < 32) {
        ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, &published, &draft, ptx::n32_t<128>{});
        __syncwarp();
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, &published, ptx::n32_t<128>{});
    }
    if (i == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &filled[0], sizeof tile[0]);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[0], &published, at, &filled[0]);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        ptx::tensormap_replace_global_address(ptx::space_shared, &draft, second_matrix);
    }
    __syncthreads();
    if (i < 32) { // the map of the second matrix
        ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, &published, &draft, ptx::n32_t<128>{});
        __syncwarp();
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, &published, ptx::n32_t<128>{});
    }
    if (i == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &filled[1], sizeof tile[1]);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[1], &published, at, &filled[1]);
    }
    for (int s = 0; s < 2; ++s) {
        while (!ptx::mbarrier_try_wait_parity(&filled[s], 0)) {
        }
        if (i == 0)
            out[s] = tile[s][0];
    }
}

int main() {
    int* matrix[2];
    for (int*& m : matrix) {
        cudaMalloc(&m, 64 * 32 * sizeof(int));
        cudaMemset(m, 1, 64 * 32 * sizeof(int));
    }
    CUtensorMap map;
    const cuuint64_t dims[] = {64, 32}, strides[] = {64 * sizeof(int)};
    const cuuint32_t box[] = {32, 8}, steps[] = {1, 1};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, matrix[0], dims, strides, box, steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    load_twice<<<1, 64>>>(map, matrix[1]);
    return cudaDeviceSynchronize();
}

/*
== clean/map_rewritten_after_its_load_has_landed
The issuer waits for the phase of the load instead.

-        ptx::cp_async_bulk_commit_group();
-        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
+        while (!ptx::mbarrier_try_wait_parity(&filled[0], 0)) {
+        }

== clean/map_rewritten_by_the_warp_that_has_waited
The issuer waits last, and its warp goes on without __syncwarp, as in CUTLASS's grouped product: a note.

-        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
         ptx::tensormap_replace_global_address(ptx::space_shared, &draft, second_matrix);
     }
     __syncthreads();
+    if (i == 0)
+        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});

== wrong/map_rewritten_under_a_load
No thread waits.
says: A tensor map must not change before the copies that use it have read it.

-        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[0], &published, at, &filled[0]);
+        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[0], &published, at, &filled[0]); // other
-        ptx::cp_async_bulk_commit_group();
-        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});

     if (i < 32) { // the map of the second matrix
         ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, &published, &draft, ptx::n32_t<128>{});
+        // error: source-modified-in-flight

== wrong/map_rewritten_under_an_uncommitted_load
The load is in no group, so the wait does not cover it.

-        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[0], &published, at, &filled[0]);
+        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[0], &published, at, &filled[0]); // other
-        ptx::cp_async_bulk_commit_group();
-        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
+        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{}); // other

     if (i < 32) { // the map of the second matrix
         ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, &published, &draft, ptx::n32_t<128>{});
+        // error: uncommitted-copy

== wrong/map_rewritten_after_another_thread_s_wait
The thread that waits has committed no group.

-        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[0], &published, at, &filled[0]);
+        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[0], &published, at, &filled[0]); // other
         ptx::cp_async_bulk_commit_group();
-        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
         ptx::tensormap_replace_global_address(ptx::space_shared, &draft, second_matrix);
     }
+    if (i == 32)
+        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{}); // other

     if (i < 32) { // the map of the second matrix
         ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, &published, &draft, ptx::n32_t<128>{});
+        // error: waited-by-another-thread

== wrong/map_rewritten_while_its_group_is_pending
The wait leaves one group pending: that of the load.

-        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[0], &published, at, &filled[0]);
+        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[0], &published, at, &filled[0]); // other
         ptx::cp_async_bulk_commit_group();
-        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
+        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>{}); // other

     if (i < 32) { // the map of the second matrix
         ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, &published, &draft, ptx::n32_t<128>{});
+        // error: source-modified-in-flight
*/
