// Without the fence the counter says nothing about the parts.
__device__ int part[8], count, total;

__global__ void sum() {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x + 1; // other
        last = atomicAdd(&count, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int all = 0;
        for (int b = 0; b < 8; ++b)
            all += part[b]; // error: read-after-write-race
        total = all;
    }
}

int main() {
    sum<<<8, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/last_block
The block that comes last adds up what all blocks have left: stores, a fence, a counter; counter, fence, loads.

+        __threadfence();
         last = atomicAdd(&count, 1) == gridDim.x - 1;
+        __threadfence();
*/
