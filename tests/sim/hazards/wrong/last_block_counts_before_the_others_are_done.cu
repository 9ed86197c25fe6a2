// Thread 0 counts while other threads of its block may still be storing.
__device__ int part[8][64], total[64];
__device__ unsigned count;

__global__ void sum() {
    __shared__ bool last;
    part[blockIdx.x][threadIdx.x] = blockIdx.x; // other
    __threadfence();
    if (threadIdx.x == 0)
        last = atomicInc(&count, gridDim.x) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        __threadfence();
        int all = 0;
        for (int b = 0; b < 8; ++b)
            all += part[b][63 - threadIdx.x]; // error: read-after-write-race
        total[threadIdx.x] = all;
    }
}

int main() {
    sum<<<8, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/last_block_all_threads_read
As in CUDA's own threadFenceReduction sample: every thread fences, one counts, a barrier passes the news on.

     __threadfence();
+    __syncthreads();
*/
