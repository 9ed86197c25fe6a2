// cudaFree of memory from cudaMallocAsync does not wait for the streams that use it.
__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x; // other
}

int main() {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    int* data;
    cudaMallocAsync(&data, 64 * sizeof(int), stream);
    fill<<<1, 64, 0, stream>>>(data);
    cudaFree(data); // error: free-while-in-use
    return cudaDeviceSynchronize();
}

/*
== clean/free_after_the_stream
The host waits for the stream first.

+    cudaStreamSynchronize(stream);
     cudaFree(data);

== clean/free_waits_for_other_memory
cudaFree of memory from cudaMalloc waits for the device.

-    cudaMallocAsync(&data, 64 * sizeof(int), stream);
+    cudaMalloc(&data, 64 * sizeof(int));
*/
