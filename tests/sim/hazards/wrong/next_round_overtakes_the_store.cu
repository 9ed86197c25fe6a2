// expect: source-modified-in-flight
// expect: missing-barrier-after-wait
// The issuer waits for its store, but no other thread waits for the issuer.
#include <cuda/ptx>

__device__ alignas(16) int out[4][64];

__global__ void rounds() {
    namespace ptx = cuda::ptx;
    __shared__ alignas(16) int tile[64];
    for (int round = 0; round < 4; ++round) {
        tile[threadIdx.x] = round;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out[round], tile, sizeof tile);
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        }
    }
    if (threadIdx.x == 0)
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
}

int main() {
    rounds<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/next_round_waits_for_the_issuer
The issuer waits for its store, and the others wait for the issuer.

         }
+        __syncthreads();
*/
