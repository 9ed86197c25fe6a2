// The same load, and another thread uses the value.
__device__ int in[64], out[64];

__global__ void speculate(int who) {
    __shared__ int part[64];
    const int i = threadIdx.x;
    int r = 0;
    part[i] = in[i]; // other
    if (i >= who)
        r = part[who]; // error: read-after-write-race
    out[i] = r;
}

int main() {
    speculate<<<1, 64>>>(5);
    return cudaDeviceSynchronize();
}

/*
== clean/speculated_load
At -O3 every thread loads part[0], and all but one drop the value: only thread 0 uses it.

-    if (i >= who)
+    if (i == who)
*/
