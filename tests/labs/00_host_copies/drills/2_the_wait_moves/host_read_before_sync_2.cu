// expect: host-read-before-sync
// The host waits for the wrong stream.
// Drill 00.2: the wait moves
// The host requests a download and waits for it at once, although it could launch the other kernel first. Move the
// wait: the host should wait as late as possible, but before it needs the result.
//     cudaStreamSynchronize(stream)     the host waits for everything issued in `stream` so far
#include "lab.h"

constexpr int N = 512;

__global__ void square(const int* in, int* out) {
    out[threadIdx.x] = in[threadIdx.x] * in[threadIdx.x];
}

__global__ void negate(const int* in, int* out) {
    out[threadIdx.x] = -in[threadIdx.x];
}

/// `in`, `squares` and `negated`: N numbers in device memory. `copy`: N numbers in pinned host memory. `largest`: one
/// number in host memory.
void launch(const int* in, int* squares, int* negated, int* copy, int* largest) {
    cudaStream_t stream, other;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);

    square<<<1, N, 0, stream>>>(in, squares);
    cudaMemcpyAsync(copy, squares, N * sizeof(int), cudaMemcpyDeviceToHost, stream);
    // TODO(1): does the host need the result here?
    // END TODO(1)

    negate<<<1, N, 0, other>>>(in, negated);
    // TODO(2): or here?
    cudaStreamSynchronize(other);
    // END TODO(2)

    *largest = 0;
    for (int i = 0; i < N; ++i)
        *largest = copy[i] > *largest ? copy[i] : *largest;
    cudaStreamSynchronize(other);
    cudaStreamDestroy(other);
    cudaStreamDestroy(stream);
}

LAB_ENTRY(launch)
