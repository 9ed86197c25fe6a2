// cudaEventQuery waits for nothing, but once it returns cudaSuccess, the host is ordered after the event.
__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

int main() {
    int *data, *host;
    cudaMalloc(&data, 64 * sizeof(int));
    cudaMallocHost(&host, 64 * sizeof(int));
    cudaEvent_t copied;
    cudaEventCreate(&copied);
    fill<<<1, 64>>>(data);
    cudaMemcpyAsync(host, data, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    cudaEventRecord(copied);
    while (cudaEventQuery(copied) == cudaErrorNotReady) {
    }
    return host[63] != 63 || cudaDeviceSynchronize();
}

/*
== wrong/host_reads_whatever_the_query_returns
The program asks once and does not look at the answer.

-    cudaMemcpyAsync(host, data, 64 * sizeof(int), cudaMemcpyDeviceToHost);
+    cudaMemcpyAsync(host, data, 64 * sizeof(int), cudaMemcpyDeviceToHost); // other

-    while (cudaEventQuery(copied) == cudaErrorNotReady) {
-    }
-    return host[63] != 63 || cudaDeviceSynchronize();
+    cudaEventQuery(copied);
+    return host[63] == 1 || cudaDeviceSynchronize(); // error: host-read-before-sync
*/
