// says: recorded again
// One event is recorded in two streams: the wait for it sees the last record only.
__device__ int data[2][64], out[64];

__global__ void fill(int which) {
    data[which][threadIdx.x] = threadIdx.x; // error: stream-race
}
__global__ void add() {
    out[threadIdx.x] = data[0][threadIdx.x] + data[1][threadIdx.x]; // other
}

int main() {
    cudaStream_t first, second, third;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking);
    cudaEvent_t filled, also_filled;
    cudaEventCreate(&filled);
    cudaEventCreate(&also_filled);
    fill<<<1, 64, 0, first>>>(0);
    cudaEventRecord(filled, first); // other
    fill<<<1, 64, 0, second>>>(1);
    cudaEventRecord(filled, second); // other
    cudaStreamWaitEvent(third, filled); // other
    add<<<1, 64, 0, third>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/event_for_each_stream
Each stream has an event of its own.

-    cudaEventRecord(filled, second);
+    cudaEventRecord(also_filled, second);
+    cudaStreamWaitEvent(third, also_filled);
*/
