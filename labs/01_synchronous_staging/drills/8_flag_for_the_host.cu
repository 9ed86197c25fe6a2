// Drill 01.8: a flag for the host
// The kernel writes a message to pinned memory, which the host can read while the kernel runs, and raises a flag. The
// host polls the flag and then uses the message, long before the kernel is complete. A fence or a release reaches the
// threads of its scope only, and the host is outside the device. Release and acquire with the scope that includes it:
//     cuda::atomic_ref<int, cuda::thread_scope_system>(flag).store(1, cuda::memory_order_release)
//     cuda::atomic_ref<int, cuda::thread_scope_system>(flag).load(cuda::memory_order_acquire)
#include "lab.h"

#include <cuda/atomic>

constexpr int THREADS = 128, WORDS = 4;

__global__ void __launch_bounds__(THREADS) announce(const unsigned* in, unsigned* message, int* ready, unsigned* x) {
    const int t = threadIdx.x;
    if (t < WORDS)
        message[t] = ~in[t];
    __syncthreads(); // the message is ordered before what thread 0 does next
    if (t == 0) {
        // TODO(1): raise the flag. The host that sees it has to see the message.
        *static_cast<volatile int*>(ready) = 1; // placeholder: orders nothing before the flag
        // END TODO(1)
    }
    unsigned value = in[t];
    for (int round = 0; round < 500; ++round) // the host need not wait for this
        value = (value << 5) ^ (value >> 3) ^ round;
    x[t] = value;
}

__global__ void __launch_bounds__(THREADS) square(const unsigned* in, unsigned* squares) {
    squares[threadIdx.x] = in[threadIdx.x] * in[threadIdx.x];
}

/// In device memory: `in`, `x` and `squares`, THREADS numbers. `heard`: WORDS numbers in host memory.
cudaError_t launch(const unsigned* in, unsigned* x, unsigned* squares, unsigned* heard) {
    constexpr int PAGE = 4096;
    char* pinned = nullptr;
    cudaStream_t stream, other;
    cudaMallocHost(&pinned, 2 * PAGE);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    auto* const message = reinterpret_cast<unsigned*>(pinned);
    int* const ready = reinterpret_cast<int*>(pinned + PAGE);
    *ready = 0;

    announce<<<1, THREADS, 0, stream>>>(in, message, ready, x);
    // TODO(2): wait for the flag. What follows has to see the message.
    while (*static_cast<volatile int*>(ready) == 0) { // placeholder: orders nothing after the flag
    }
    // END TODO(2)
    for (int k = 0; k < WORDS; ++k)
        heard[k] = message[k];
    square<<<1, THREADS, 0, other>>>(in, squares); // the first kernel need not be complete

    const cudaError_t error = cudaDeviceSynchronize();
    cudaStreamDestroy(other);
    cudaStreamDestroy(stream);
    cudaFreeHost(pinned);
    return error;
}

LAB_ENTRY(launch)
