// expect: read-after-write-race
// The fence of the writer is missing.
// Drill 01.6: a flag with two fences
// Thread 0 writes a message and then sets a flag; the other threads of the block wait for the flag and then read the
// message. The flag's own accesses order nothing else. Put a fence on each side:
//     cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_block)     by the writer, before the flag
//     cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_block)     by the readers, after the flag
#include "lab.h"

#include <cuda/atomic>

constexpr int THREADS = 128;
constexpr int WORDS = 4;

__global__ void __launch_bounds__(THREADS) broadcast(const int* in, int* out) {
    __shared__ int message[WORDS];
    __shared__ int flag;
    const int t = threadIdx.x;
    cuda::atomic_ref<int, cuda::thread_scope_block> ready(flag);
    if (t == 0)
        flag = 0;
    __syncthreads();

    if (t == 0) {
        for (int k = 0; k < WORDS; ++k)
            message[k] = in[k];
        // TODO(1): a thread that sees the flag has to see the message.
        // END TODO(1)
        ready.store(1, cuda::memory_order_relaxed);
    } else {
        while (ready.load(cuda::memory_order_relaxed) == 0) {
        }
        // TODO(2): read the message only after the flag.
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_block);
        // END TODO(2)
        out[t - 1] = message[t % WORDS];
    }
}

/// `in`: 4 integers, `out`: 127 integers, in device memory.
void launch(const int* in, int* out, cudaStream_t stream) {
    broadcast<<<1, THREADS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
