// The buffer is cleared in the default stream, and the kernel runs in a stream that does not wait for that.
__global__ void count(int* sum) {
    atomicAdd(sum, 1); // error: stream-race
}

int main() {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    int* sum;
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(sum, 0, sizeof(int)); // other
    count<<<1, 64, 0, stream>>>(sum);
    return cudaDeviceSynchronize();
}

/*
== clean/set_in_the_same_stream
Both are in one stream.

-    cudaMemset(sum, 0, sizeof(int));
+    cudaMemsetAsync(sum, 0, sizeof(int), stream);
*/
