// A programmatic edge of a graph permits the second kernel to start before the first is complete.
__device__ int data[64], out[64], other[64];

__global__ void fill() {
    cudaTriggerProgrammaticLaunchCompletion();
    data[threadIdx.x] = threadIdx.x; // other
}

__global__ void between() {
    cudaTriggerProgrammaticLaunchCompletion();
    other[threadIdx.x] = 1;
}

__global__ void reverse() {
    out[threadIdx.x] = data[63 - threadIdx.x]; // error: missing-dependency-wait
}

cudaGraphNode_t add(cudaGraph_t graph, void (*kernel)()) {
    cudaGraphNode_t node;
    cudaKernelNodeParams params{};
    params.func = reinterpret_cast<void*>(kernel);
    params.gridDim = 1;
    params.blockDim = 64;
    cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params);
    return node;
}

void depend(cudaGraph_t graph, cudaGraphNode_t earlier, cudaGraphNode_t later, int port) {
    cudaGraphEdgeData edge{};
    edge.from_port = port;
    edge.type = port ? cudaGraphDependencyTypeProgrammatic : cudaGraphDependencyTypeDefault;
    cudaGraphAddDependencies(graph, &earlier, &later, &edge, 1);
}

int main() {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaGraphCreate(&graph, 0);
    const cudaGraphNode_t first = add(graph, fill), last = add(graph, reverse);
    depend(graph, first, last, cudaGraphKernelNodePortProgrammatic);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    cudaGraphLaunch(ready, stream);
    return cudaStreamSynchronize(stream);
}

/*
== clean/programmatic_edge_and_a_wait
The second kernel waits for the first.

 __global__ void reverse() {
+    cudaGridDependencySynchronize();

== clean/ordinary_edge
An ordinary edge orders the second kernel after the first.

-    depend(graph, first, last, cudaGraphKernelNodePortProgrammatic);
+    depend(graph, first, last, cudaGraphKernelNodePortDefault);

== clean/programmatic_edge_beside_an_ordinary_path
The other path, over the third kernel, orders the second after the first.

-    depend(graph, first, last, cudaGraphKernelNodePortProgrammatic);
+    depend(graph, first, last, cudaGraphKernelNodePortProgrammatic);
+    const cudaGraphNode_t middle = add(graph, between);
+    depend(graph, first, middle, cudaGraphKernelNodePortDefault);
+    depend(graph, middle, last, cudaGraphKernelNodePortDefault);

== clean/programmatic_edge_from_the_begin_and_a_wait
The second kernel may start when all blocks of the first have begun, and it waits.

 __global__ void reverse() {
+    cudaGridDependencySynchronize();

-    depend(graph, first, last, cudaGraphKernelNodePortProgrammatic);
+    depend(graph, first, last, cudaGraphKernelNodePortLaunchCompletion);

== clean/programmatic_edge_to_a_kernel_that_waits_in_time
The kernel between the two waits before it triggers the last one.

 __global__ void between() {
+    cudaGridDependencySynchronize();

-    depend(graph, first, last, cudaGraphKernelNodePortProgrammatic);
+    const cudaGraphNode_t middle = add(graph, between);
+    depend(graph, first, middle, cudaGraphKernelNodePortProgrammatic);
+    depend(graph, middle, last, cudaGraphKernelNodePortProgrammatic);

== wrong/programmatic_edge_from_the_begin
The second kernel may start when all blocks of the first have begun, whether or not they have triggered it.

-    cudaTriggerProgrammaticLaunchCompletion();
-    data[threadIdx.x] = threadIdx.x;
+    data[threadIdx.x] = threadIdx.x; // other

-    out[threadIdx.x] = data[63 - threadIdx.x];
+    out[threadIdx.x] = data[63 - threadIdx.x]; // error: missing-dependency-wait

-    depend(graph, first, last, cudaGraphKernelNodePortProgrammatic);
+    depend(graph, first, last, cudaGraphKernelNodePortLaunchCompletion);

== wrong/programmatic_edges_over_a_kernel_that_does_not_wait
The kernel between the two has not waited for the first.

-    data[threadIdx.x] = threadIdx.x;
+    data[threadIdx.x] = threadIdx.x; // other

-    out[threadIdx.x] = data[63 - threadIdx.x];
+    out[threadIdx.x] = data[63 - threadIdx.x]; // error: missing-dependency-wait

-    depend(graph, first, last, cudaGraphKernelNodePortProgrammatic);
+    const cudaGraphNode_t middle = add(graph, between);
+    depend(graph, first, middle, cudaGraphKernelNodePortProgrammatic);
+    depend(graph, middle, last, cudaGraphKernelNodePortProgrammatic);

== wrong/programmatic_edge_from_the_begin_of_a_kernel_that_waits
All blocks of the kernel between the two have begun, but need not have waited.

-    data[threadIdx.x] = threadIdx.x;
+    data[threadIdx.x] = threadIdx.x; // other

-    cudaTriggerProgrammaticLaunchCompletion();
-    other[threadIdx.x] = 1;
+    cudaGridDependencySynchronize();
+    other[threadIdx.x] = 1;

-    out[threadIdx.x] = data[63 - threadIdx.x];
+    out[threadIdx.x] = data[63 - threadIdx.x]; // error: missing-dependency-wait

-    depend(graph, first, last, cudaGraphKernelNodePortProgrammatic);
+    const cudaGraphNode_t middle = add(graph, between);
+    depend(graph, first, middle, cudaGraphKernelNodePortProgrammatic);
+    depend(graph, middle, last, cudaGraphKernelNodePortLaunchCompletion);
*/
