// Captures and graphs through the driver: the handles are the runtime's.
#include "sim/cuda/program/driver/driver.h"

using namespace sim::cuda;

ASYNCLAB_API CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
    return as_driver(cudaStreamBeginCapture(stream, static_cast<cudaStreamCaptureMode>(mode)));
}
ASYNCLAB_API CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
    return as_driver(cudaStreamEndCapture(stream, graph));
}
ASYNCLAB_API CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
    return as_driver(cudaThreadExchangeStreamCaptureMode(reinterpret_cast<cudaStreamCaptureMode*>(mode)));
}
ASYNCLAB_API CUresult cuGraphCreate(CUgraph* graph, unsigned flags) {
    return as_driver(cudaGraphCreate(graph, flags));
}
ASYNCLAB_API CUresult cuGraphClone(CUgraph* graph, CUgraph original) {
    return as_driver(cudaGraphClone(graph, original));
}
ASYNCLAB_API CUresult cuGraphDestroy(CUgraph graph) {
    return as_driver(cudaGraphDestroy(graph));
}
ASYNCLAB_API CUresult cuGraphDestroyNode(CUgraphNode node) {
    return as_driver(cudaGraphDestroyNode(node));
}
ASYNCLAB_API CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
    return as_driver(cudaGraphGetNodes(graph, nodes, count));
}
ASYNCLAB_API CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
    return as_driver(cudaGraphGetRootNodes(graph, nodes, count));
}
ASYNCLAB_API CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count) {
    return as_driver(cudaGraphAddEmptyNode(node, graph, after, count));
}
ASYNCLAB_API CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                                               CUgraph child) {
    return as_driver(cudaGraphAddChildGraphNode(node, graph, after, count, child));
}
ASYNCLAB_API CUresult cuGraphAddEventRecordNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                                                size_t count, CUevent event) {
    return as_driver(cudaGraphAddEventRecordNode(node, graph, after, count, event));
}
ASYNCLAB_API CUresult cuGraphAddEventWaitNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                                              CUevent event) {
    return as_driver(cudaGraphAddEventWaitNode(node, graph, after, count, event));
}
ASYNCLAB_API CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                                         const CUDA_HOST_NODE_PARAMS* of) {
    cudaHostNodeParams same{};
    if (of)
        same = {of->fn, of->userData};
    return as_driver(cudaGraphAddHostNode(node, graph, after, count, of ? &same : nullptr));
}
ASYNCLAB_API CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                                           const CUDA_KERNEL_NODE_PARAMS* of) {
    cudaKernelNodeParams same{};
    if (of) {
        same.func = of->func ? const_cast<void*>(symbol(of->func)) : of->kern;
        same.gridDim = dim3(of->gridDimX, of->gridDimY, of->gridDimZ);
        same.blockDim = dim3(of->blockDimX, of->blockDimY, of->blockDimZ);
        same.sharedMemBytes = of->sharedMemBytes;
        same.kernelParams = of->kernelParams;
        same.extra = of->extra;
    }
    return as_driver(cudaGraphAddKernelNode(node, graph, after, count, of ? &same : nullptr));
}
ASYNCLAB_API CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
    return as_driver(cudaGraphInstantiateWithFlags(exec, graph, flags));
}
ASYNCLAB_API CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
    return as_driver(cudaGraphLaunch(exec, stream));
}
ASYNCLAB_API CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
    return as_driver(cudaGraphUpload(exec, stream));
}
ASYNCLAB_API CUresult cuGraphExecDestroy(CUgraphExec exec) {
    return as_driver(cudaGraphExecDestroy(exec));
}
ASYNCLAB_API CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t* flags) {
    unsigned long long all = 0;
    const CUresult error = as_driver(cudaGraphExecGetFlags(exec, &all));
    if (!error)
        *flags = all;
    return error;
}
