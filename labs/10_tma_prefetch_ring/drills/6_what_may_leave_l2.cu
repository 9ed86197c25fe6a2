// Drill 10.6: what may leave L2
// A large array, which is read once, is multiplied by a table, which is read again and again. Both pass through L2, and
// there the array displaces the table. Say with two cache policies that lines of the array are to leave first, and
// those of the table last. No result shows whether you did; the check counts the bytes copied with each policy.
//     createpolicy.fractional.L2::evict_first.b64 policy, 1.0;     policy: a 64-bit register, "=l"
//     createpolicy.fractional.L2::evict_last.b64 policy, 1.0;
#include "lab.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

// Returns when the phase of that parity is complete.
__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

__device__ void load(void* to, const void* from, unsigned bytes, uint64_t* barrier, uint64_t policy) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, "
                 "[%3], %4;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
                 "l"(from), "r"(bytes), "r"(static_cast<unsigned>(__cvta_generic_to_shared(barrier))), "l"(policy)
                 : "memory");
}

// Two policies.
__device__ uint64_t leaves_first() {
    uint64_t policy;
    // TODO(1): for what is read once.
    asm volatile("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy)); // placeholder
    // END TODO(1)
    return policy;
}
__device__ uint64_t leaves_last() {
    uint64_t policy;
    // TODO(2): for what is read again.
    asm volatile("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy)); // placeholder
    // END TODO(2)
    return policy;
}

constexpr int TILE = 256, STAGES = 3;
constexpr int GROUP = 4, TABLE = 4; // numbers that share a factor; tiles for which the table has factors

struct Stage {
    alignas(16) unsigned values[TILE], factors[TILE / GROUP];
};

__global__ void __launch_bounds__(TILE) multiply(const unsigned* in, const unsigned* table, unsigned* out, int tiles) {
    __shared__ Stage ring[STAGES];
    __shared__ uint64_t full[STAGES];
    const int t = threadIdx.x;
    if (t < STAGES)
        ptx::mbarrier_init(&full[t], 1);
    __syncthreads();
    const uint64_t first = leaves_first(), last = leaves_last();
    auto load_tile = [&](int k) {
        Stage& stage = ring[k % STAGES];
        uint64_t* const barrier = &full[k % STAGES];
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, sizeof stage);
        // TODO(3): which policy for which copy?
        (void)last; // placeholder: one policy for both
        load(stage.values, in + k * TILE, sizeof stage.values, barrier, first);
        load(stage.factors, table + k % TABLE * (TILE / GROUP), sizeof stage.factors, barrier, first);
        // END TODO(3)
    };

    for (int k = 0; t == 0 && k < min(STAGES, tiles); ++k)
        load_tile(k);
    for (int k = 0; k < tiles; ++k) {
        wait(&full[k % STAGES], k / STAGES % 2);
        out[k * TILE + t] = ring[k % STAGES].values[t] * ring[k % STAGES].factors[t / GROUP];
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads(); // tile k has been read
        if (t == 0 && k + STAGES < tiles)
            load_tile(k + STAGES);
    }
}

/// `in` and `out`: `tiles` tiles of TILE numbers. `table`: factors for TABLE tiles; tile k is multiplied by those of
/// tile k % TABLE.
void launch(const unsigned* in, const unsigned* table, unsigned* out, int tiles, cudaStream_t stream) {
    multiply<<<1, TILE, 0, stream>>>(in, table, out, tiles);
}

LAB_ENTRY(launch)
