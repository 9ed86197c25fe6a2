// says: enqueued before the event was recorded
// The wait for the event comes before the record, so it waits for nothing.
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
    fill<<<1, 64, 0, first>>>();
    cudaStreamWaitEvent(second, filled); // other
    cudaEventRecord(filled, first); // other
    take<<<1, 64, 0, second>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/event_waited_for_after_its_record
The record comes first.

-    cudaStreamWaitEvent(second, filled);
     cudaEventRecord(filled, first);
+    cudaStreamWaitEvent(second, filled);
*/
