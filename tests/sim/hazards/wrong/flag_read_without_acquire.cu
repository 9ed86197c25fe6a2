// The flag is released and read by a relaxed load, after which no fence comes.
__device__ int data[32], flag, out[32];

__device__ int load() {
    int value;
    asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(value) : "l"(&flag) : "memory");
    return value;
}

__global__ void pass() {
    const int i = threadIdx.x;
    if (blockIdx.x == 0) {
        data[i] = i; // other
        __syncthreads();
        if (i == 0)
            asm volatile("st.release.gpu.global.b32 [%0], 1;" ::"l"(&flag) : "memory");
    } else {
        if (i == 0)
            while (load() == 0) { // other
            }
        __syncthreads();
        out[i] = data[i]; // warning: read-after-write-race
    }
}

int main() {
    pass<<<2, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/flag_read_with_acquire
The load acquires.

-    asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(value) : "l"(&flag) : "memory");
+    asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(value) : "l"(&flag) : "memory");
*/
