// Drill 00.6: wait before the first read
// The second kernel may start while the first one still runs, so that it can prepare meanwhile: each thread computes a
// weight that depends on no memory. Only then does it need what the first kernel writes. Wait for that kernel, but no
// earlier than necessary. You need:
//     cudaGridDependencySynchronize()     the thread waits until the earlier kernel is complete, and sees what it wrote
#include "lab.h"

constexpr int N = 512, THREADS = 128;

__global__ void __launch_bounds__(THREADS) square(const unsigned* in, unsigned* squares) {
    cudaTriggerProgrammaticLaunchCompletion(); // from now on, the second kernel may start
    const int i = blockIdx.x * THREADS + threadIdx.x;
    squares[i] = in[i] * in[i];
}

__global__ void __launch_bounds__(THREADS) weigh(const unsigned* squares, unsigned* out) {
    __shared__ unsigned weights[THREADS];
    // TODO(1): wait here?
    // END TODO(1)
    unsigned weight = threadIdx.x + 1;
    for (int round = 0; round < 64; ++round) {
        weight ^= weight << 13;
        weight ^= weight >> 17;
        weight ^= weight << 5;
    }
    weights[threadIdx.x] = weight;
    __syncthreads();
    // TODO(2): or here?
    // END TODO(2)
    const int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = weights[THREADS - 1 - threadIdx.x] * squares[i];
}

/// `in`, `squares` and `out`: N numbers in device memory.
cudaError_t launch(const unsigned* in, unsigned* squares, unsigned* out, cudaStream_t stream) {
    square<<<N / THREADS, THREADS, 0, stream>>>(in, squares);

    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = N / THREADS;
    config.blockDim = THREADS;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, weigh, static_cast<const unsigned*>(squares), out);
}

LAB_ENTRY(launch)
