// Streams, events, graphs and pools end while work uses them.
__global__ void works_long(float* out, int n) {
    for (int i = 0; i < 1000; ++i)
        out[i % n] += 1;
}
static void destroys_what_is_in_use(const float* in, float* out, int n) {
    cudaStream_t stream;
    cudaEvent_t event;
    for (int i = 0; i < 8; ++i) {
        cudaStreamCreate(&stream);
        cudaEventCreate(&event);
        works_long<<<1, 1, 0, stream>>>(out, n);
        cudaEventRecord(event, stream);
        cudaStreamWaitEvent(given, event, 0);
        cudaEventDestroy(event);
        cudaStreamDestroy(stream);
        cudaEventRecord(event, stream);
        cudaStreamWaitEvent(stream, event, 0);
        works_long<<<1, 1, 0, stream>>>(out, n);
    }
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
    works_long<<<1, 1, 0, stream>>>(out, n);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, given);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaGraphLaunch(exec, given);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaStreamDestroy(given);
    cudaDeviceSynchronize();
}
