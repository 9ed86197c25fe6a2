__global__ void count_up(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

int main() {
    int* data;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    cudaMallocAsync(&data, 64 * sizeof(int), stream);
    count_up<<<1, 64, 0, stream>>>(data);
    cudaFreeAsync(data, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    for (int i = 0; i < 2; ++i)
        cudaGraphLaunch(executable, stream);
    if (BEHIND)
        count_up<<<1, 64, 0, stream>>>(data);
    cudaStreamSynchronize(stream);
}
