// The report names the lines of the free, of the allocation and of the launch.
__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x; // error: use-after-free
}

int main() {
    int* data;
    cudaMallocManaged(&data, 64 * sizeof(int)); // other
    cudaFree(data); // other
    fill<<<1, 64>>>(data); // other
    return cudaDeviceSynchronize() == cudaSuccess;
}

/*
== clean/managed_memory_freed_behind_its_use
The kernel comes first.

-    cudaFree(data);
     fill<<<1, 64>>>(data);
-    return cudaDeviceSynchronize() == cudaSuccess;
+    cudaFree(data);
+    return cudaDeviceSynchronize();

== wrong/pinned_memory_used_after_its_free
Pinned memory is device memory, too.

-    data[threadIdx.x] = threadIdx.x;
+    data[threadIdx.x] = threadIdx.x; // error: use-after-free

-    cudaMallocManaged(&data, 64 * sizeof(int));
-    cudaFree(data);
-    fill<<<1, 64>>>(data);
+    cudaMallocHost(&data, 64 * sizeof(int)); // other
+    cudaFreeHost(data);                      // other
+    fill<<<1, 64>>>(data);                   // other
*/
