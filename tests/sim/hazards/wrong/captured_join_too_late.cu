// The stream waits for the side stream only behind the kernel that reads what is filled there.
__device__ int a[64], b[64], out[64];

__global__ void fill_a() {
    a[threadIdx.x] = threadIdx.x;
}
__global__ void fill_b() {
    b[threadIdx.x] = threadIdx.x; // error: stream-race
}
__global__ void add() {
    out[threadIdx.x] = a[threadIdx.x] + b[63 - threadIdx.x]; // other
}

int main() {
    cudaStream_t stream, side;
    cudaStreamCreate(&stream);
    cudaStreamCreate(&side);
    cudaEvent_t forked, joined;
    cudaEventCreate(&forked);
    cudaEventCreate(&joined);
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaEventRecord(forked, stream);
    cudaStreamWaitEvent(side, forked);
    fill_a<<<1, 64, 0, stream>>>();
    fill_b<<<1, 64, 0, side>>>();
    cudaEventRecord(joined, side);
    add<<<1, 64, 0, stream>>>();
    cudaStreamWaitEvent(stream, joined);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream); // other
    return cudaDeviceSynchronize();
}

/*
== clean/captured_fork_and_join
Two streams fill two arrays in a captured graph; the kernel that reads both waits for both.

+    cudaStreamWaitEvent(stream, joined);
     add<<<1, 64, 0, stream>>>();
-    cudaStreamWaitEvent(stream, joined);
*/
