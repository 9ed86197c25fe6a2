__device__ int a[64], b[64], out[64];

__global__ void fill_a() {
    a[threadIdx.x] = threadIdx.x;
}

__global__ void fill_b() {
    b[threadIdx.x] = threadIdx.x;
}

__global__ void add() {
    out[threadIdx.x] = a[threadIdx.x] + b[63 - threadIdx.x];
}

cudaGraphNode_t add_node(cudaGraph_t graph, void (*kernel)()) {
    cudaKernelNodeParams params = {};
    params.func = reinterpret_cast<void*>(kernel);
    params.gridDim = 1;
    params.blockDim = 64;
    cudaGraphNode_t node;
    cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params);
    return node;
}

int main() {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaGraphCreate(&graph, 0);
    const cudaGraphNode_t from[] = {add_node(graph, fill_a), add_node(graph, fill_b)};
    const cudaGraphNode_t sum = add_node(graph, add), to[] = {sum, sum};
    cudaGraphAddDependencies(graph, from, to, nullptr, EDGES);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, stream);
    cudaStreamSynchronize(stream);
}
