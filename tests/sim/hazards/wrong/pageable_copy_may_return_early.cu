// cudaMemcpy from pageable memory may return before the device has the bytes, and the kernel's stream does not wait.
__device__ int out[64];

__global__ void take(const int* in) {
    out[threadIdx.x] = in[threadIdx.x]; // warning: stream-race
}

int main() {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    int *data, host[64] = {};
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice); // other
    take<<<1, 64, 0, stream>>>(data);
    return cudaDeviceSynchronize();
}

/*
== clean/pageable_copy_waited_for
The host waits for the default stream.

     cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
+    cudaStreamSynchronize(cudaStreamLegacy);

== clean/pageable_copy_before_the_default_stream
The kernel runs in a stream that waits for the copy.

-    take<<<1, 64, 0, stream>>>(data);
+    take<<<1, 64>>>(data);
*/
