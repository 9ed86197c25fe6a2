// cudaFreeAsync does not wait for a kernel in another stream.
__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x; // other
}

int main() {
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    int* data;
    cudaMallocAsync(&data, 64 * sizeof(int), first);
    cudaStreamSynchronize(first);
    fill<<<1, 64, 0, second>>>(data);
    cudaFreeAsync(data, first); // error: free-while-in-use
    return cudaDeviceSynchronize();
}

/*
== clean/memory_freed_in_its_last_stream
The stream that used it last frees it.

-    cudaFreeAsync(data, first);
+    cudaFreeAsync(data, second);
*/
