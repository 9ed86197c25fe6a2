// The host reads managed memory that a kernel may still be writing.
#include <cstdio>

__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x; // other
}

int main() {
    int* data;
    cudaMallocManaged(&data, 64 * sizeof(int));
    fill<<<1, 64>>>(data); // other
    std::printf("%d\n", data[63]); // error: host-read-before-sync
    return cudaDeviceSynchronize();
}

/*
== clean/host_reads_managed_memory_after_the_kernel
The host waits for the kernel first.

-    std::printf("%d\n", data[63]);
-    return cudaDeviceSynchronize();
+    cudaDeviceSynchronize();
+    std::printf("%d\n", data[63]);
+    return 0;

== clean/host_reads_other_managed_memory
The kernel and the host use different bytes.

-    cudaMallocManaged(&data, 64 * sizeof(int));
+    cudaMallocManaged(&data, 65 * sizeof(int));
+    data[64] = 1;

-    std::printf("%d\n", data[63]);
+    std::printf("%d\n", data[64]);
*/
