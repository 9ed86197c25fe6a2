// The same graph instantiated twice: only launches of one executable graph follow one another.
__device__ int data[64];

__global__ void turn() {
    const int mine = data[63 - threadIdx.x]; // error 1: stream-race
    __syncthreads();
    data[threadIdx.x] = mine + 1; // other 1, error 2: stream-race, other 2
}

int main() {
    cudaStream_t stream, other;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaGraph_t graph;
    cudaGraphExec_t ready, again;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    turn<<<1, 64, 0, stream>>>();
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphInstantiate(&again, graph, 0);
    cudaGraphLaunch(ready, stream); // other 1, other 2
    cudaGraphLaunch(again, other); // other 1, other 2
    return cudaDeviceSynchronize();
}
