// The host refills mapped memory that a kernel may not have read yet.
__device__ int out[64];

__global__ void take(const int* in) {
    out[threadIdx.x] = in[threadIdx.x]; // other
}

int main() {
    int *host, *mapped;
    cudaHostAlloc(&host, 64 * sizeof(int), cudaHostAllocMapped);
    cudaHostGetDevicePointer(&mapped, host, 0);
    for (int i = 0; i < 64; ++i)
        host[i] = i;
    take<<<1, 64>>>(mapped); // other
    host[3] = -1; // error: host-write-before-sync
    return cudaDeviceSynchronize();
}

/*
== clean/host_reads_what_the_kernel_reads
Nobody writes while the kernel may run.

-    host[3] = -1;
-    return cudaDeviceSynchronize();
+    const int last = host[63];
+    return cudaDeviceSynchronize() + last - 63;

== clean/host_refills_mapped_memory_after_the_kernel
An event tells that the kernel is complete.

-    take<<<1, 64>>>(mapped);
+    cudaEvent_t taken;
+    cudaEventCreate(&taken);
+    take<<<1, 64>>>(mapped);
+    cudaEventRecord(taken);
+    cudaEventSynchronize(taken);
*/
