// Drill 00.7: let the next one start
// The second kernel already waits for the first one where it must, but it starts only when the first one is complete.
// Two things are missing: the launch has to permit an early start, and the first kernel has to say when the second one
// may occupy the SMs. That statement publishes nothing, so it need not come after the stores. You need:
//     cudaTriggerProgrammaticLaunchCompletion()                       once each block has executed it or has ended, the
//                                                                     next kernel may start
//     attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization
//     attribute.val.programmaticStreamSerializationAllowed = 1
#include "lab.h"

constexpr int N = 512, THREADS = 128, ROUNDS = 200;

__global__ void __launch_bounds__(THREADS) scramble(unsigned* x) {
    unsigned value = x[blockIdx.x * THREADS + threadIdx.x];
    // TODO(1): may the next kernel start here?
    // END TODO(1)
    for (int round = 0; round < ROUNDS; ++round) {
        value ^= value << 13;
        value ^= value >> 17;
        value ^= value << 5;
    }
    x[blockIdx.x * THREADS + threadIdx.x] = value;
    // TODO(2): or only here?
    // END TODO(2)
}

__global__ void __launch_bounds__(THREADS) reverse(const unsigned* x, unsigned* out) {
    const int i = blockIdx.x * THREADS + threadIdx.x;
    cudaGridDependencySynchronize();
    out[i] = x[N - 1 - i];
}

/// `x` and `out`: N numbers in device memory. `x` is overwritten.
cudaError_t launch(unsigned* x, unsigned* out, cudaStream_t stream) {
    scramble<<<N / THREADS, THREADS, 0, stream>>>(x);

    cudaLaunchConfig_t config{};
    config.gridDim = N / THREADS;
    config.blockDim = THREADS;
    config.stream = stream;
    cudaLaunchAttribute attribute{};
    config.attrs = &attribute;
    // TODO(3): permit this kernel to start early.
    config.numAttrs = 0; // placeholder: it starts when the first one is complete
    // END TODO(3)
    return cudaLaunchKernelEx(&config, reverse, static_cast<const unsigned*>(x), out);
}

LAB_ENTRY(launch)
