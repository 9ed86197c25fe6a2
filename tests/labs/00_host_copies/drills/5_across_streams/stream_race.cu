// expect: stream-race
// The event and the wait are exchanged: the upload stream waits for the compute stream.
// Drill 00.5: from one stream to another
// The upload goes through a stream of its own, and the kernel runs in another one. Nothing orders the two. Make the
// kernel's stream wait for the upload; the host itself should not wait. You need:
//     cudaEventRecord(event, stream)         the event stands for what is in `stream` now
//     cudaStreamWaitEvent(stream, event)     what you issue in `stream` from now on waits for the event
#include "lab.h"

constexpr int N = 512;

__global__ void square(const int* in, int* out) {
    out[threadIdx.x] = in[threadIdx.x] * in[threadIdx.x];
}

/// `in`: N numbers in pinned host memory. `device` and `out`: N numbers in device memory.
void launch(const int* in, int* device, int* out, cudaStream_t compute) {
    cudaStream_t upload;
    cudaEvent_t uploaded;
    cudaStreamCreateWithFlags(&upload, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&uploaded, cudaEventDisableTiming);

    cudaMemcpyAsync(device, in, N * sizeof(int), cudaMemcpyHostToDevice, upload);
    // TODO(1): order the kernel after the upload.
    cudaEventRecord(uploaded, compute);
    cudaStreamWaitEvent(upload, uploaded);
    // END TODO(1)
    square<<<1, N, 0, compute>>>(device, out);

    cudaStreamSynchronize(compute);
    cudaEventDestroy(uploaded);
    cudaStreamDestroy(upload);
}

LAB_ENTRY(launch)
