// Hunt 10.h1: values and scales
// Dequantises 8-bit numbers: every 32 values share a scale. A producer loads values and scales of one tile onto one
// barrier, with a cache policy, because nothing is read twice. With 1024, 2048 or 8192 values the program is right.
// With 1152 or 9600 it hangs at the end.
#include "lab.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

// Returns when the phase of that parity is complete. On a fresh barrier, parity 1 counts as complete.
__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

constexpr int TILE = 1024, GROUP = 32; // values; values that share a scale
constexpr int STAGES = 3, CONSUMER_WARPS = 4;

struct Stage {
    alignas(16) int8_t values[TILE];
    alignas(16) float scales[TILE / GROUP];
};

// What one stage receives for `count` values.
struct Sizes {
    unsigned values, scales;
    __device__ explicit Sizes(int count) : values(count), scales(count / GROUP * sizeof(float)) {}
    __device__ unsigned total() const { return values + sizeof(Stage::scales); }
};

__device__ uint64_t read_once() {
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

__device__ void load(void* to, const void* from, unsigned bytes, uint64_t* barrier, uint64_t policy) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, "
                 "[%3], %4;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
                 "l"(from), "r"(bytes), "r"(static_cast<unsigned>(__cvta_generic_to_shared(barrier))), "l"(policy)
                 : "memory");
}

__global__ void __launch_bounds__(32 * (CONSUMER_WARPS + 1))
    dequantise(const int8_t* values, const float* scales, float* out, int n) {
    __shared__ Stage ring[STAGES];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x < STAGES) {
        ptx::mbarrier_init(&full[threadIdx.x], 1);
        ptx::mbarrier_init(&empty[threadIdx.x], CONSUMER_WARPS);
    }
    __syncthreads();

    const uint64_t policy = read_once();
    int s = 0;
    unsigned parity = 0;
    for (int first = blockIdx.x * TILE; first < n; first += gridDim.x * TILE) {
        const int count = min(n - first, TILE);
        Stage& stage = ring[s];
        if (warp == CONSUMER_WARPS) {
            if (lane == 0) {
                const Sizes bytes(count);
                wait(&empty[s], parity ^ 1);
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s],
                                               bytes.total());
                load(stage.values, values + first, bytes.values, &full[s], policy);
                load(stage.scales, scales + first / GROUP, bytes.scales, &full[s], policy);
            }
        } else {
            wait(&full[s], parity);
            for (int i = threadIdx.x; i < count; i += 32 * CONSUMER_WARPS)
                out[first + i] = stage.scales[i / GROUP] * static_cast<float>(stage.values[i]);
            ptx::fence_proxy_async(ptx::space_shared);
            __syncwarp();
            if (lane == 0)
                ptx::mbarrier_arrive(&empty[s]);
        }
        if (++s == STAGES) {
            s = 0;
            parity ^= 1;
        }
    }
}

/// `values`: n numbers, n a multiple of 128. `scales`: one for each 32 of them. All arrays are 16-byte aligned.
void launch(const int8_t* values, const float* scales, float* out, int n, cudaStream_t stream) {
    dequantise<<<2, 32 * (CONSUMER_WARPS + 1), 0, stream>>>(values, scales, out, n);
}

LAB_ENTRY(launch)
