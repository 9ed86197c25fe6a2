// expect: out-of-bounds
// The hints are there, but the src-size is not: a policy alone is the fourth operand.
#include "lab.h"

constexpr int THREADS = 128;

// The parts of the two instructions, in PTX's order:
//     createpolicy.fractional.L2::evict_first.b64 policy, 1.0;          policy: a 64-bit register, "=l"
//     cp.async.cg.shared.global.L2::cache_hint.L2::128B [dst], [src], 16, src-size, policy;
__device__ uint64_t read_once() {
    uint64_t policy = 0;
    // TODO(1): make the policy.
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    // END TODO(1)
    return policy;
}

// Reads the first `bytes` bytes, 0 … 16, and writes 16: the rest are zeros.
__device__ void copy_16(void* shared, const void* global, int bytes, uint64_t policy) {
    const unsigned destination = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    // TODO(2): one cp.async with a src-size, the policy and a prefetch size of 128 bytes.
    asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2;" ::"r"(destination),
                 "l"(global), "l"(policy)
                 : "memory");
    // END TODO(2)
}

__global__ void __launch_bounds__(THREADS) largest_of_four(const uint32_t* in, uint32_t* out, int n) {
    __shared__ alignas(16) uint32_t tile[4 * THREADS];
    uint32_t* const mine = &tile[4 * threadIdx.x];
    const int first = 4 * (blockIdx.x * THREADS + threadIdx.x);
    copy_16(mine, in + first, 4 * min(max(n - first, 0), 4), read_once());
    asm volatile("cp.async.wait_all;" ::: "memory");
    if (first < n)
        out[first / 4] = max(max(mine[0], mine[1]), max(mine[2], mine[3]));
}

/// `in` is a 16-byte aligned array of n numbers; `out` has one number for each four begun.
void launch(const uint32_t* in, uint32_t* out, int n, cudaStream_t stream) {
    largest_of_four<<<(n + 4 * THREADS - 1) / (4 * THREADS), THREADS, 0, stream>>>(in, out, n);
}

LAB_ENTRY(launch)
