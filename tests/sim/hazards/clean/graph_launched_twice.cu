// Two launches of one graph follow one another, even in different streams. A second graph waits for an event.
__device__ int data[64], out[64];

__global__ void turn() {
    const int mine = data[63 - threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = mine + 1;
}

int main() {
    cudaStream_t stream, other;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    turn<<<1, 64, 0, stream>>>();
    turn<<<1, 64, 0, stream>>>();
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    cudaGraphLaunch(ready, other);
    cudaGraphLaunch(ready, stream);
    return cudaDeviceSynchronize();
}
