// CUDA graphs: captured and built by hand, and what is refused while a stream is being captured.
// any-finding: it looks at each error, so these are warnings
#include <vector>

#include "check.h"

__global__ void add(int* data, int n, int value) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] += value;
}
__global__ void sum(const int* a, const int* b, int* to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = a[i] + b[i];
}

constexpr int n = 256;

static cudaStream_t stream(unsigned flags = cudaStreamNonBlocking) {
    cudaStream_t made;
    OK(cudaStreamCreateWithFlags(&made, flags));
    return made;
}
static cudaEvent_t event() {
    cudaEvent_t made;
    OK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
    return made;
}

// The host memory is pageable: copies of a graph read and write it when their turn comes.
static void captured() {
    std::vector<int> in(n), out(n);
    int *a, *b;
    OK(cudaMalloc(&a, n * 4));
    OK(cudaMalloc(&b, n * 4));
    cudaStream_t main = stream(), side = stream();
    cudaEvent_t forked = event(), joined = event();
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    int calls = 0;
    OK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
    OK(cudaMemcpyAsync(a, in.data(), n * 4, cudaMemcpyDefault, main));
    OK(cudaEventRecord(forked, main));
    OK(cudaStreamWaitEvent(side, forked, 0));
    OK(cudaMemsetAsync(b, 0, n * 4, side));
    add<<<1, n, 0, side>>>(b, n, 1000);
    OK(cudaEventRecord(joined, side));
    add<<<1, n, 0, main>>>(a, n, 1);
    OK(cudaStreamWaitEvent(main, joined, 0));
    sum<<<1, n, 0, main>>>(a, b, a, n);
    OK(cudaMemcpyAsync(out.data(), a, n * 4, cudaMemcpyDefault, main));
    OK(cudaLaunchHostFunc(main, [](void* count) { ++*static_cast<int*>(count); }, &calls));
    cudaStreamCaptureStatus status;
    OK(cudaStreamIsCapturing(side, &status));
    CHECK(status == cudaStreamCaptureStatusActive);
    OK(cudaStreamEndCapture(main, &graph));
    OK(cudaStreamIsCapturing(side, &status));
    CHECK(status == cudaStreamCaptureStatusNone);
    size_t nodes = 0, edges = 0;
    OK(cudaGraphGetNodes(graph, nullptr, &nodes));
    OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
    CHECK(nodes == 7 && edges == 7);
    OK(cudaGraphInstantiate(&ready, graph, 0));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphUpload(ready, main));
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < n; ++i)
            in[i] = i * round;
        OK(cudaGraphLaunch(ready, main));
        OK(cudaStreamSynchronize(main));
        for (int i = 0; i < n; ++i)
            CHECK(out[i] == i * round + 1001);
        CHECK(calls == round + 1);
    }
    OK(cudaGraphExecDestroy(ready));
    OK(cudaFree(a));
    OK(cudaFree(b));
}

static cudaKernelNodeParams kernel(int** data, int* count, int* value, void* (&arguments)[3]) {
    arguments[0] = data;
    arguments[1] = count;
    arguments[2] = value;
    cudaKernelNodeParams params = {};
    params.func = reinterpret_cast<void*>(add);
    params.gridDim = 1;
    params.blockDim = n;
    params.kernelParams = arguments;
    return params;
}

static void built() {
    int *data, *host, count = n, value = 5;
    OK(cudaMalloc(&data, n * 4));
    OK(cudaMallocHost(&host, n * 4));
    cudaGraph_t graph, clone;
    OK(cudaGraphCreate(&graph, 0));
    cudaMemsetParams zero = {};
    zero.dst = data;
    zero.value = 3;
    zero.elementSize = 4;
    zero.width = n;
    zero.height = 1;
    cudaGraphNode_t first, second, third, back;
    OK(cudaGraphAddMemsetNode(&first, graph, nullptr, 0, &zero));
    void* arguments[3];
    cudaKernelNodeParams params = kernel(&data, &count, &value, arguments);
    OK(cudaGraphAddKernelNode(&second, graph, &first, 1, &params));
    value = 100; // the node has copied the arguments
    OK(cudaGraphAddEmptyNode(&third, graph, nullptr, 0));
    OK(cudaGraphAddMemcpyNode1D(&back, graph, &third, 1, host, data, n * 4, cudaMemcpyDeviceToHost));
    OK(cudaGraphAddDependencies(graph, &second, &third, nullptr, 1));
    cudaGraphNodeType type;
    OK(cudaGraphNodeGetType(back, &type));
    CHECK(type == cudaGraphNodeTypeMemcpy);
    cudaGraphNode_t roots[4];
    size_t room = 4;
    OK(cudaGraphGetRootNodes(graph, roots, &room));
    CHECK(room == 1 && roots[0] == first);
    OK(cudaGraphClone(&clone, graph));

    cudaStream_t in = stream(cudaStreamDefault);
    cudaGraphExec_t ready;
    OK(cudaGraphInstantiateWithFlags(&ready, graph, 0));
    const auto launched = [&](int expected) {
        OK(cudaGraphLaunch(ready, in));
        OK(cudaStreamSynchronize(in));
        for (int i = 0; i < n; ++i)
            CHECK(host[i] == expected);
    };
    launched(8);
    OK(cudaGraphExecKernelNodeSetParams(ready, second, &params));
    launched(103);
    cudaGraphNode_t copied;
    OK(cudaGraphNodeFindInClone(&copied, second, clone));
    value = 7;
    OK(cudaGraphKernelNodeSetParams(copied, &params));
    cudaGraphExecUpdateResultInfo info;
    OK(cudaGraphExecUpdate(ready, clone, &info));
    CHECK(info.result == cudaGraphExecUpdateSuccess);
    launched(10);
    OK(cudaGraphAddEmptyNode(&copied, clone, nullptr, 0));
    CHECK(cudaGraphExecUpdate(ready, clone, &info) == cudaErrorGraphExecUpdateFailure);
    CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);

    // As a node of another graph, twice.
    cudaGraph_t outer;
    OK(cudaGraphCreate(&outer, 0));
    cudaGraphNode_t inner, again, more;
    OK(cudaGraphAddChildGraphNode(&inner, outer, nullptr, 0, graph));
    OK(cudaGraphAddChildGraphNode(&again, outer, &inner, 1, graph));
    OK(cudaGraphAddKernelNode(&more, outer, &again, 1, &params));
    OK(cudaGraphAddMemcpyNode1D(&back, outer, &more, 1, host, data, n * 4, cudaMemcpyDeviceToHost));
    OK(cudaGraphExecDestroy(ready));
    OK(cudaGraphInstantiate(&ready, outer, 0));
    launched(15);

    // A cycle is found when the graph is instantiated.
    OK(cudaGraphAddDependencies(graph, &third, &first, nullptr, 1));
    cudaGraphExec_t none;
    CHECK(cudaGraphInstantiate(&none, graph, 0) == cudaErrorInvalidValue);
    OK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphLaunch(ready, in) == cudaErrorInvalidValue);
    OK(cudaGraphDestroy(graph));
    CHECK(cudaGraphDestroy(graph) == cudaErrorInvalidValue);
    OK(cudaFree(data));
    OK(cudaFreeHost(host));
}

// Ends a capture that an error has invalidated.
static void ends_invalidated(cudaStream_t in) {
    cudaGraph_t graph;
    cudaStreamCaptureStatus status;
    OK(cudaStreamIsCapturing(in, &status));
    CHECK(status == cudaStreamCaptureStatusInvalidated);
    CHECK(cudaStreamEndCapture(in, &graph) == cudaErrorStreamCaptureInvalidated);
    CHECK(graph == nullptr);
    OK(cudaStreamIsCapturing(in, &status));
    CHECK(status == cudaStreamCaptureStatusNone);
}

static void errors() {
    int* data;
    OK(cudaMalloc(&data, n * 4));
    OK(cudaMemset(data, 0, n * 4));
    cudaStream_t main = stream(), side = stream(), blocking = stream(cudaStreamDefault);
    cudaEvent_t mine = event(), other = event();
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
    CHECK(cudaStreamEndCapture(main, &graph) == cudaErrorIllegalState);

    const auto begin = [&](cudaStream_t in, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
        OK(cudaStreamBeginCapture(in, mode));
    };
    begin(main);
    CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal) == cudaErrorIllegalState);
    CHECK(cudaStreamSynchronize(main) == cudaErrorStreamCaptureUnsupported);
    CHECK(cudaMemsetAsync(data, 0, 4, main) == cudaErrorStreamCaptureInvalidated);
    ends_invalidated(main);

    begin(main);
    CHECK(cudaStreamQuery(main) == cudaErrorStreamCaptureUnsupported);
    ends_invalidated(main);
    begin(main);
    CHECK(cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported);
    ends_invalidated(main);
    begin(main);
    void* more;
    CHECK(cudaMalloc(&more, 4) == cudaErrorStreamCaptureUnsupported);
    ends_invalidated(main);
    begin(main, cudaStreamCaptureModeRelaxed);
    OK(cudaMalloc(&more, 4));
    OK(cudaStreamEndCapture(main, &graph));
    OK(cudaGraphDestroy(graph));
    OK(cudaFree(more));

    // Events.
    begin(main);
    OK(cudaEventRecord(mine, main));
    CHECK(cudaEventSynchronize(mine) == cudaErrorCapturedEvent);
    ends_invalidated(main);
    OK(cudaEventRecord(other, side));
    begin(main);
    CHECK(cudaStreamWaitEvent(main, other, 0) == cudaErrorStreamCaptureIsolation);
    ends_invalidated(main);
    begin(main);
    begin(side);
    OK(cudaEventRecord(mine, main));
    CHECK(cudaStreamWaitEvent(side, mine, 0) == cudaErrorStreamCaptureMerge);
    ends_invalidated(main);
    ends_invalidated(side);

    // Forks and joins.
    begin(main);
    OK(cudaEventRecord(mine, main));
    OK(cudaStreamWaitEvent(side, mine, 0));
    cudaGetLastError(); // of the calls above
    add<<<1, n, 0, side>>>(data, n, 1);
    OK(cudaGetLastError());
    CHECK(cudaStreamEndCapture(main, &graph) == cudaErrorStreamCaptureUnjoined);
    CHECK(graph == nullptr);
    begin(main);
    OK(cudaEventRecord(mine, main));
    OK(cudaStreamWaitEvent(side, mine, 0));
    CHECK(cudaStreamEndCapture(side, &graph) == cudaErrorStreamCaptureUnmatched);
    ends_invalidated(main);

    // The legacy default stream waits for a blocking stream.
    begin(blocking);
    add<<<1, n>>>(data, n, 1);
    CHECK(cudaGetLastError() == cudaErrorStreamCaptureImplicit);
    ends_invalidated(blocking);
    begin(main); // but not for this one
    cudaGetLastError();
    add<<<1, n>>>(data, n, 1);
    OK(cudaGetLastError());
    add<<<1, n, 0, main>>>(data, n, 1);
    OK(cudaStreamEndCapture(main, &graph));
    OK(cudaGraphDestroy(graph));
    OK(cudaDeviceSynchronize());
    int value;
    OK(cudaMemcpy(&value, data, 4, cudaMemcpyDeviceToHost));
    CHECK(value == 1); // what was captured has not run
    OK(cudaFree(data));
}

int main() {
    captured();
    built();
    errors();
    return 0;
}
