// The event is recorded in the stream that waits for it, not in the one that fills.
__device__ int data[64], out[64];

__global__ void fill() {
    data[threadIdx.x] = threadIdx.x; // error: stream-race
}
__global__ void take() {
    out[threadIdx.x] = data[63 - threadIdx.x]; // other
}

int main() {
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEvent_t filled;
    cudaEventCreate(&filled);
    fill<<<1, 64, 0, first>>>(); // other
    cudaEventRecord(filled, second);
    cudaStreamWaitEvent(second, filled);
    take<<<1, 64, 0, second>>>(); // other
    return cudaDeviceSynchronize();
}

/*
== clean/event_recorded_in_the_right_stream
The event follows the kernel that fills.

-    cudaEventRecord(filled, second);
+    cudaEventRecord(filled, first);
*/
