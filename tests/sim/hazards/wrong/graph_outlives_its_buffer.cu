// A graph is launched again after a buffer of one of its kernels has been freed.
__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x; // error: use-after-free
}

int main() {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    int* data;
    cudaMalloc(&data, 64 * sizeof(int)); // other
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    fill<<<1, 64, 0, stream>>>(data);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphExec_t ready;
    cudaGraphInstantiate(&ready, graph);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    cudaFree(data); // other
    cudaGraphLaunch(ready, stream); // other
    return cudaStreamSynchronize(stream) == cudaSuccess;
}

/*
== clean/graph_before_its_buffer_is_freed
The buffer is freed behind the last launch.

-    cudaStreamSynchronize(stream);
-    cudaFree(data);
     cudaGraphLaunch(ready, stream);
-    return cudaStreamSynchronize(stream) == cudaSuccess;
+    cudaStreamSynchronize(stream);
+    return cudaFree(data);
*/
