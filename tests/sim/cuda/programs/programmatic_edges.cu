// Programmatic edges of graphs: built by hand, and captured.
// any-finding: it looks at each error, so these are warnings
#include "check.h"

__global__ void add(int* data, int n, int value) {
    cudaGridDependencySynchronize();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] += value;
}

constexpr int n = 256;

static cudaGraphEdgeData edge(int port, int type = cudaGraphDependencyTypeProgrammatic) {
    cudaGraphEdgeData made{};
    made.from_port = static_cast<unsigned char>(port);
    made.type = static_cast<unsigned char>(type);
    return made;
}

// Such edges are between kernels only, and no call lists them without their annotation.
static void built(cudaStream_t in, cudaKernelNodeParams params, const int* data) {
    cudaGraph_t graph;
    cudaGraphNode_t first, second, third, empty, found[4], later[4];
    cudaGraphEdgeData edges[4];
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &params));
    OK(cudaGraphAddKernelNode(&second, graph, nullptr, 0, &params));
    OK(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0));
    const cudaGraphEdgeData early = edge(cudaGraphKernelNodePortProgrammatic);
    const cudaGraphEdgeData begun = edge(cudaGraphKernelNodePortLaunchCompletion), ordinary = edge(0, 0);
    const auto added = [&](cudaGraphNode_t from, cudaGraphNode_t to, const cudaGraphEdgeData& as) {
        return cudaGraphAddDependencies(graph, &from, &to, &as, 1);
    };
    CHECK(added(first, second, edge(1, 0)) == cudaErrorInvalidValue);
    CHECK(added(first, second, edge(0, 1)) == cudaErrorInvalidValue);
    CHECK(added(first, second, edge(3, 1)) == cudaErrorInvalidValue);
    CHECK(added(first, empty, early) == cudaErrorInvalidValue);
    CHECK(added(empty, second, begun) == cudaErrorInvalidValue);
    OK(added(first, second, early));
    CHECK(added(first, second, ordinary) == cudaErrorInvalidValue);
    OK(added(second, empty, ordinary));
    cudaGraphNodeParams any = {cudaGraphNodeTypeKernel};
    any.kernel.func = params.func;
    any.kernel.gridDim = params.gridDim;
    any.kernel.blockDim = params.blockDim;
    any.kernel.kernelParams = params.kernelParams;
    OK(cudaGraphAddNode(&third, graph, &second, &begun, 1, &any));
    CHECK(cudaGraphAddNode(&third, graph, &empty, &begun, 1, &any) == cudaErrorInvalidValue);

    size_t room = 4;
    OK(cudaGraphGetEdges(graph, found, later, edges, &room));
    CHECK(room == 3 && found[0] == first && later[0] == second);
    CHECK(edges[0].type == cudaGraphDependencyTypeProgrammatic && edges[0].from_port == 1);
    CHECK(edges[1].type == cudaGraphDependencyTypeDefault && edges[1].from_port == 0 && later[1] == empty);
    CHECK(edges[2].from_port == 2 && later[2] == third);
    CHECK(cudaGraphGetEdges(graph, found, later, nullptr, &room) == cudaErrorLossyQuery);
    room = 4;
    CHECK(cudaGraphNodeGetDependencies(second, found, nullptr, &room) == cudaErrorLossyQuery);
    OK(cudaGraphNodeGetDependencies(second, found, edges, &room));
    CHECK(room == 1 && edges[0].from_port == 1);
    room = 4;
    OK(cudaGraphNodeGetDependencies(empty, found, nullptr, &room));
    CHECK(room == 1 && found[0] == second);
    room = 4;
    OK(cudaGraphNodeGetDependentNodes(second, found, edges, &room));
    CHECK(room == 2 && edges[0].type == 0 && edges[1].from_port == 2);

    cudaGraphExec_t ready;
    cudaGraph_t clone;
    OK(cudaGraphClone(&clone, graph));
    OK(cudaGraphInstantiate(&ready, graph, 0));
    OK(cudaGraphLaunch(ready, in));
    OK(cudaStreamSynchronize(in));
    int host;
    OK(cudaMemcpy(&host, data, 4, cudaMemcpyDeviceToHost));
    CHECK(host == 3);
    cudaGraphExecUpdateResultInfo info;
    OK(cudaGraphExecUpdate(ready, clone, &info));
    CHECK(cudaGraphRemoveDependencies(graph, &first, &second, nullptr, 1) == cudaErrorInvalidValue);
    OK(cudaGraphRemoveDependencies(graph, &first, &second, &early, 1));
    OK(added(first, second, ordinary));
    CHECK(cudaGraphExecUpdate(ready, graph, &info) == cudaErrorGraphExecUpdateFailure);
    OK(cudaGraphExecDestroy(ready));
    OK(cudaGraphDestroy(clone));
    OK(cudaGraphDestroy(graph));
}

// A dependent launch that is captured becomes such an edge, and a capture can be given one.
static void captured(cudaStream_t in, const cudaKernelNodeParams& params, int* data) {
    const cudaGraphEdgeData early = edge(cudaGraphKernelNodePortProgrammatic);
    int value = 1, host;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaGraphNode_t third, found[4], later[4];
    cudaGraphEdgeData edges[4];
    size_t room = 4;
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = 1;
    config.blockDim = n;
    config.stream = in;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaStreamCaptureStatus status;
    const cudaGraphNode_t* after;
    const cudaGraphEdgeData* on;
    size_t number;
    OK(cudaStreamBeginCapture(in, cudaStreamCaptureModeGlobal));
    OK(cudaLaunchKernelEx(&config, add, data, n, value));
    OK(cudaLaunchKernelEx(&config, add, data, n, value));
    OK(cudaStreamGetCaptureInfo(in, &status, nullptr, &graph, &after, &on, &number));
    CHECK(number == 1 && on[0].type == cudaGraphDependencyTypeDefault);
    OK(cudaGraphAddKernelNode(&third, graph, after, 1, &params));
    OK(cudaStreamUpdateCaptureDependencies(in, &third, &early, 1, cudaStreamSetCaptureDependencies));
    OK(cudaStreamGetCaptureInfo(in, &status, nullptr, nullptr, &after, &on, &number));
    CHECK(number == 1 && after[0] == third && on[0].from_port == cudaGraphKernelNodePortProgrammatic);
    CHECK(cudaStreamGetCaptureInfo(in, &status, nullptr, nullptr, &after, nullptr, &number) == cudaErrorLossyQuery);
    cudaGetLastError();
    add<<<1, n, 0, in>>>(data, n, value);
    OK(cudaGetLastError());
    OK(cudaStreamEndCapture(in, &graph));
    CHECK(cudaStreamUpdateCaptureDependencies(in, nullptr, nullptr, 0, 0) == cudaErrorIllegalState);
    OK(cudaGraphGetEdges(graph, found, later, edges, &room));
    CHECK(room == 3 && edges[0].from_port == 1 && edges[1].from_port == 0 && edges[2].from_port == 1);
    OK(cudaGraphInstantiate(&ready, graph, 0));
    OK(cudaGraphLaunch(ready, in));
    OK(cudaStreamSynchronize(in));
    OK(cudaMemcpy(&host, data, 4, cudaMemcpyDeviceToHost));
    CHECK(host == 7);
}

int main() {
    int *data, count = n, value = 1;
    OK(cudaMalloc(&data, n * 4));
    OK(cudaMemset(data, 0, n * 4));
    OK(cudaDeviceSynchronize());
    cudaStream_t in;
    OK(cudaStreamCreateWithFlags(&in, cudaStreamNonBlocking));
    void* arguments[] = {&data, &count, &value};
    cudaKernelNodeParams params = {};
    params.func = reinterpret_cast<void*>(add);
    params.gridDim = 1;
    params.blockDim = n;
    params.kernelParams = arguments;
    built(in, params, data);
    captured(in, params, data);
    OK(cudaFree(data));
    return 0;
}
