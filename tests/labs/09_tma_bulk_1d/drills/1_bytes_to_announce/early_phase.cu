// expect: early-phase
// Drill 09.1: how many bytes?
// Each block loads its part of a signal with one bulk copy; the last part may be shorter. Everything is done but one
// number: the bytes that the issuer announces. The phase completes when exactly as many have arrived.
#include "lab.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

// Returns when the phase of that parity is complete.
__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

constexpr int PART = 256; // samples

__global__ void __launch_bounds__(PART) negate(const float* in, float* out, int n) {
    __shared__ alignas(16) float part[PART];
    __shared__ uint64_t full;
    const int t = threadIdx.x, first = blockIdx.x * PART;
    const int count = min(n - first, PART); // samples of this block; a multiple of 4
    if (t == 0)
        ptx::mbarrier_init(&full, 1);
    __syncthreads();

    if (t == 0) {
        // TODO(1): how many bytes will arrive?
        const unsigned announced = count; // samples, not bytes
        // END TODO(1)
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, announced);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, part, in + first, count * sizeof(float), &full);
    }
    wait(&full, 0);
    if (t < count)
        out[first + t] = -part[t];
}

/// `in` and `out` are 16-byte aligned arrays of n samples, n a multiple of 4.
void launch(const float* in, float* out, int n, cudaStream_t stream) {
    negate<<<(n + PART - 1) / PART, PART, 0, stream>>>(in, out, n);
}

LAB_ENTRY(launch)
