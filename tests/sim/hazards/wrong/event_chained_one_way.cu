// Nothing keeps the first stream from filling the memory again too early.
__device__ int data[64], out[64];

__global__ void fill(int value) {
    data[threadIdx.x] = value; // other
}
__global__ void take() {
    out[threadIdx.x] += data[63 - threadIdx.x]; // error: stream-race
}

int main() {
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEvent_t filled, taken;
    cudaEventCreate(&filled);
    cudaEventCreate(&taken);
    for (int round = 0; round < 3; ++round) {
        fill<<<1, 64, 0, first>>>(round); // other
        cudaEventRecord(filled, first);
        cudaStreamWaitEvent(second, filled);
        take<<<1, 64, 0, second>>>(); // other
        cudaEventRecord(taken, second);
    }
    return cudaDeviceSynchronize();
}

/*
== clean/event_chained_streams
Two streams take turns with the same memory; events order them.

         cudaEventRecord(taken, second);
+        cudaStreamWaitEvent(first, taken);
*/
