// The node that reads two arrays depends on only one of the nodes that fill them.
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
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaGraphCreate(&graph, 0);
    const auto add_kernel = [graph](void (*kernel)()) {
        cudaKernelNodeParams params = {};
        params.func = reinterpret_cast<void*>(kernel);
        params.gridDim = 1;
        params.blockDim = 64;
        cudaGraphNode_t node;
        cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params);
        return node;
    };
    const cudaGraphNode_t from[] = {add_kernel(fill_a), add_kernel(fill_b)};
    const cudaGraphNode_t sum = add_kernel(add), to[] = {sum, sum};
    cudaGraphAddDependencies(graph, from, to, nullptr, 1);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraphLaunch(ready, stream); // other
    return cudaDeviceSynchronize();
}

/*
== clean/graph_with_all_dependencies
The node that reads two arrays depends on both nodes that fill them.

-    cudaGraphAddDependencies(graph, from, to, nullptr, 1);
+    cudaGraphAddDependencies(graph, from, to, nullptr, 2);
*/
