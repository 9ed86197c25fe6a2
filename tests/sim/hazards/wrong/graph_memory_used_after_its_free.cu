// A graph allocates memory and frees it; a kernel behind the graph in the stream uses it all the same.
__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x; // error: use-after-free
}

int main() {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    int* data;
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    cudaMallocAsync(&data, 64 * sizeof(int), stream);
    fill<<<1, 64, 0, stream>>>(data);
    cudaFreeAsync(data, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphExec_t ready;
    cudaGraphInstantiate(&ready, graph);
    cudaGraphLaunch(ready, stream);
    cudaGraphLaunch(ready, stream); // other
    fill<<<1, 64, 0, stream>>>(data);
    return cudaStreamSynchronize(stream);
}

/*
== clean/graph_with_memory_of_its_own
The memory exists again in each launch.

-    fill<<<1, 64, 0, stream>>>(data);
-    return cudaStreamSynchronize(stream);
+    return cudaStreamSynchronize(stream);

== clean/graph_leaves_its_memory
What a graph has not freed is used behind it, and freed in the stream.

-    cudaFreeAsync(data, stream);

-    cudaGraphLaunch(ready, stream);
     cudaGraphLaunch(ready, stream);
     fill<<<1, 64, 0, stream>>>(data);
+    cudaFreeAsync(data, stream);
*/
