// The partner waits at another barrier.
__device__ int out[128];

__global__ void halves() {
    __shared__ int tile[128];
    const int i = threadIdx.x, half = i / 64;
    tile[i] = i; // other
    asm volatile("barrier.sync %0, 64;" ::"r"(half + 1) : "memory"); // other
    out[i] = tile[127 - i]; // error: read-after-write-race
}

int main() {
    halves<<<1, 128>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/named_barriers
barrier.sync orders the threads that take part; each half of the block has a barrier of its own.

-    out[i] = tile[127 - i];
+    out[i] = tile[i ^ 63];
*/
