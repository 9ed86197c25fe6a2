// Drill 00.9: capture once, launch often
// Two kernels of each step are independent of each other and run in two streams; a third one needs both results. The
// step is to be captured as a graph and launched several times. Capture begins in `stream`. Another stream takes part
// from the moment when it waits for an event of a captured stream, and must be joined again before the capture ends.
// You need:
//     cudaEventRecord(event, stream)         in a captured stream, the event stands for the nodes so far
//     cudaStreamWaitEvent(stream, event)     what follows in `stream` depends on these nodes
#include "lab.h"

constexpr int N = 256;

__global__ void __launch_bounds__(N) triple(const unsigned* x, unsigned* a) {
    a[threadIdx.x] = 3 * x[threadIdx.x];
}

__global__ void __launch_bounds__(N) rotate(const unsigned* x, unsigned* b) {
    b[threadIdx.x] = x[(threadIdx.x + 1) % N];
}

__global__ void __launch_bounds__(N) combine(const unsigned* a, const unsigned* b, unsigned* x) {
    x[threadIdx.x] = a[threadIdx.x] ^ b[threadIdx.x];
}

/// `x`, `a` and `b`: N numbers in device memory. Each of the `steps` steps replaces x.
cudaError_t launch(unsigned* x, unsigned* a, unsigned* b, int steps, cudaStream_t stream) {
    cudaStream_t side;
    cudaEvent_t forked, joined;
    cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&forked, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&joined, cudaEventDisableTiming);

    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    // TODO(1): let `side` take part in the capture.
    // END TODO(1)
    triple<<<1, N, 0, stream>>>(x, a);
    rotate<<<1, N, 0, side>>>(x, b);
    // TODO(2): join `side` before the kernel that needs both results.
    // END TODO(2)
    combine<<<1, N, 0, stream>>>(a, b, x);
    cudaError_t error = cudaStreamEndCapture(stream, &graph);

    if (!error)
        error = cudaGraphInstantiate(&executable, graph, 0);
    // TODO(3): launch the graph once for each step; launches in one stream follow one another.
    if (!error) // placeholder: one step
        error = cudaGraphLaunch(executable, stream);
    // END TODO(3)

    cudaStreamSynchronize(stream);
    if (executable)
        cudaGraphExecDestroy(executable);
    if (graph)
        cudaGraphDestroy(graph);
    cudaEventDestroy(joined);
    cudaEventDestroy(forked);
    cudaStreamDestroy(side);
    return error;
}

LAB_ENTRY(launch)
