// A dependent launch stays one when it is captured: in the graph, too, its kernel has to wait for the one before.
__device__ int data[64], out[64];

__global__ void fill() {
    cudaTriggerProgrammaticLaunchCompletion();
    data[threadIdx.x] = threadIdx.x; // other
}

__global__ void reverse() {
    out[threadIdx.x] = data[63 - threadIdx.x]; // error: missing-dependency-wait
}

int main() {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = 1;
    config.blockDim = 64;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    fill<<<1, 64, 0, stream>>>();
    cudaLaunchKernelEx(&config, reverse);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    cudaGraphLaunch(ready, stream);
    return cudaStreamSynchronize(stream);
}

/*
== clean/captured_dependent_launch_that_waits
The dependent kernel waits. The next launch of the graph is ordered after all of this one.

 __global__ void reverse() {
+    cudaGridDependencySynchronize();

== clean/captured_launch_without_the_attribute
An ordinary launch is ordered after the kernel before it.

-    config.numAttrs = 1;
+    config.numAttrs = 0;
*/
