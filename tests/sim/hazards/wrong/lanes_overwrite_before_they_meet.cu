// Lane 0 waits for its bulk store, and the others overwrite its destination without having met it.
#include <cstdint>

__device__ alignas(16) int out[32];

__global__ void exchange() {
    __shared__ alignas(16) int tile[32];
    const int i = threadIdx.x;
    tile[i] = i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncwarp();
    if (i == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" ::"l"(out),
                     "r"(static_cast<uint32_t>(__cvta_generic_to_shared(tile))) // other
                     : "memory");
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
    out[i] = 2 * i; // error: missing-barrier-after-wait
}

int main() {
    exchange<<<1, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/lanes_overwrite_after_they_have_met
Lane 0 waits for its bulk store, and the others overwrite its destination after a __syncwarp().

     }
+    __syncwarp();
*/
