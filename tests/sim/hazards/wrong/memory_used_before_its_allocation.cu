// Memory of cudaMallocAsync exists from its allocation on in the order of that stream.
__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x; // error: stream-race
}

int main() {
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEvent_t allocated;
    cudaEventCreate(&allocated);
    int* data;
    cudaMallocAsync(&data, 64 * sizeof(int), first); // other
    fill<<<1, 64, 0, second>>>(data);
    cudaStreamSynchronize(second);
    cudaFreeAsync(data, first);
    return cudaDeviceSynchronize();
}

/*
== clean/memory_used_after_its_allocation
The other stream waits for the allocation.

     cudaMallocAsync(&data, 64 * sizeof(int), first);
+    cudaEventRecord(allocated, first);
+    cudaStreamWaitEvent(second, allocated);
     fill<<<1, 64, 0, second>>>(data);

== clean/memory_allocated_and_used_in_one_stream
Stream order is enough.

-    fill<<<1, 64, 0, second>>>(data);
-    cudaStreamSynchronize(second);
+    fill<<<1, 64, 0, first>>>(data);
*/
