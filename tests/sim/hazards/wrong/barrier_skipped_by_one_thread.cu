// says: thread 40 of block 0 has not arrived in it
// One consumer does not release the buffer in the second round.
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;
__device__ int in[128], out[64];

__global__ void roles(int tiles) {
    __shared__ int tile[32];
    __shared__ barrier full, empty;
    if (threadIdx.x == 0) {
        init(&full, blockDim.x);
        init(&empty, blockDim.x);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int t = 0; t < tiles; ++t) {
            empty.arrive_and_wait(); // other
            tile[threadIdx.x] = in[t * 32 + threadIdx.x];
            (void)full.arrive();
        }
    } else {
        int sum = 0;
        (void)empty.arrive();
        for (int t = 0; t < tiles; ++t) {
            full.arrive_and_wait(); // other
            sum += tile[threadIdx.x % 32];
            if (threadIdx.x != 40 || t == 0)
                (void)empty.arrive(); // error: deadlock
        }
        out[threadIdx.x - 32] = sum;
    }
}

int main() {
    roles<<<1, 96>>>(4);
    return cudaDeviceSynchronize();
}

/*
== clean/barrier_released_by_all
Each consumer releases the buffer in each round.

-            if (threadIdx.x != 40 || t == 0)
-                (void)empty.arrive();
+            (void)empty.arrive();
*/
