// Plain increments of the same bin race.
__device__ int in[256], out[16];

__global__ void histogram() {
    __shared__ int bins[16];
    const int i = threadIdx.x;
    if (i < 16)
        bins[i] = 0;
    __syncthreads();
    bins[(in[i] + i) % 16] += 1;
    // error 1: write-after-read-race, other 1, error 2: read-after-write-race, other 2, error 3: write-after-write-race, other 3, note 4: same-value-write, other 4
    __syncthreads();
    if (i < 16)
        atomicAdd(&out[i], bins[i]);
}

int main() {
    histogram<<<2, 256>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/shared_histogram
Atomic operations do not race with each other; the barriers order the plain accesses before and after them.

-    bins[(in[i] + i) % 16] += 1;
+    atomicAdd(&bins[(in[i] + i) % 16], 1);
*/
