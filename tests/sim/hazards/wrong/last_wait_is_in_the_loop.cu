// The only wait is in the loop, where it rightly leaves the youngest group pending. It stays; another one has to follow.
// says: Wait with N = 0 once more before the thread exits
// says: If this wait is in a loop, leave it as it is and add the other one after the loop
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__device__ alignas(16) int out[4][32];

__global__ void store() {
    __shared__ alignas(16) int tile[2][32];
    for (int k = 0; k < 4; ++k) {
        tile[k % 2][threadIdx.x] = k;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out[k], tile[k % 2], sizeof tile[0]); // other
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>{}); // error: exit-before-completion
        }
        __syncthreads();
    }
}

int main() {
    store<<<1, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/last_wait_is_after_the_loop
The wait in the loop leaves a group pending, and one after the loop covers it.

-        __syncthreads();
-    }
-}
-
-int main() {
+        __syncthreads();
+    }
+    if (threadIdx.x == 0)
+        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
+}
+
+int main() {
*/
