// expect: host-read-before-sync
// The event covers the kernel and not the download.
// Drill 00.3: where to record?
// The host waits for an event and then reads the result. The event is recorded in the wrong place: an event stands for
// the work that is in its stream at the moment when you record it. Put the three calls in the right order. (Waiting for
// the whole stream instead would also wait for the work that follows.)
#include "lab.h"

constexpr int N = 256;

__global__ void square(const int* in, int* out) {
    out[threadIdx.x] = in[threadIdx.x] * in[threadIdx.x];
}

__global__ void iterate(int* x, int rounds) {
    for (int round = 0; round < rounds; ++round)
        x[threadIdx.x] = 5 * x[threadIdx.x] + 1;
}

/// `in`, `squares` and `x`: N numbers in device memory. `copy`: N numbers in pinned host memory. `sum`: one number in
/// host memory.
void launch(const int* in, int* squares, int* x, int* copy, int* sum, cudaStream_t stream) {
    cudaEvent_t done;
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);

    // TODO(1): put these calls in the right order.
    square<<<1, N, 0, stream>>>(in, squares);
    cudaEventRecord(done, stream);
    cudaMemcpyAsync(copy, squares, N * sizeof(int), cudaMemcpyDeviceToHost, stream);
    // END TODO(1)

    iterate<<<1, N, 0, stream>>>(x, 50); // nobody has to wait for this one here
    cudaEventSynchronize(done);          // the host waits for the work that the event stands for
    *sum = 0;
    for (int i = 0; i < N; ++i)
        *sum += copy[i];
    cudaEventDestroy(done);
}

LAB_ENTRY(launch)
