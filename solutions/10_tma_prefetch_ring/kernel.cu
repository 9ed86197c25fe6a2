// Lab 10: a sum of magnitudes, streamed through a ring of stages. One lane of a producer warp keeps bulk copies in
// flight, and the consumer warps add up the numbers that have arrived.
#include "lab.h"

#include <algorithm>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int CONSUMER_WARPS = 8; // warps, plus one producer warp
constexpr int TILE = 2048;        // numbers: 8 KiB
constexpr int MAX_STAGES = 6;
constexpr int THREADS = 32 * (CONSUMER_WARPS + 1);

// True in one lane of a converged warp, always the same lane.
__device__ bool elected() {
    unsigned one;
    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(one));
    return one;
}

// Returns when the phase of that parity is complete. On a fresh barrier, parity 1 counts as complete.
__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

struct Ring {
    uint64_t full[MAX_STAGES];  // completes a phase when a tile has arrived
    uint64_t empty[MAX_STAGES]; // completes a phase when all consumers have read it
    // Lines of 128 bytes. The last member, because a launch allocates as many as it uses.
    alignas(128) float tile[MAX_STAGES][TILE];
};

__device__ void produce(Ring& ring, const float* in, int whole, int stages) {
    int stage = 0;
    unsigned parity = 0; // of the lap
    for (int first = blockIdx.x * TILE; first < whole; first += gridDim.x * TILE) {
        const unsigned bytes = min(whole - first, TILE) * sizeof(float);
        // TODO(2): wait until the stage is empty (in the first lap it is), announce the bytes, load them.
        wait(&ring.empty[stage], parity ^ 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &ring.full[stage], bytes);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, ring.tile[stage], in + first, bytes,
                           &ring.full[stage]);
        // END TODO(2)

        // TODO(3): go on to the next stage. When does the next lap begin?
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
        // END TODO(3)
    }
}

// Returns the sum of the numbers that this thread reads.
__device__ float consume(Ring& ring, int whole, int stages) {
    float sum = 0;
    int stage = 0;
    unsigned parity = 0;
    for (int first = blockIdx.x * TILE; first < whole; first += gridDim.x * TILE) {
        const int count = min(whole - first, TILE);
        // TODO(4): wait until the stage is full.
        wait(&ring.full[stage], parity);
        // END TODO(4)
        for (int i = threadIdx.x; i < count; i += 32 * CONSUMER_WARPS)
            sum += fabsf(ring.tile[stage][i]);
        // TODO(5): release the stage, once per warp. Then go on to the next stage, as in (3).
        ptx::fence_proxy_async(ptx::space_shared); // orders these reads before the refill
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            ptx::mbarrier_arrive(&ring.empty[stage]);
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
        // END TODO(5)
    }
    return sum;
}

__global__ void __launch_bounds__(THREADS) sum_of_magnitudes(const float* in, float* out, int n, int stages) {
    extern __shared__ __align__(128) unsigned char shared[];
    Ring& ring = *reinterpret_cast<Ring*>(shared);
    const int whole = n / 4 * 4; // bulk copies move multiples of 16 bytes

    // TODO(1): how many arrivals does each barrier expect in a phase?
    if (threadIdx.x == 0)
        for (int s = 0; s < stages; ++s) {
            ptx::mbarrier_init(&ring.full[s], 1);               // the producer, when it announces the bytes
            ptx::mbarrier_init(&ring.empty[s], CONSUMER_WARPS); // one lane of each consumer warp
        }
    __syncthreads();
    // END TODO(1)

    if (threadIdx.x / 32 == CONSUMER_WARPS) { // the producer warp: one lane works
        if (elected())
            produce(ring, in, whole, stages);
        return;
    }
    float sum = consume(ring, whole, stages);
    if (const int i = whole + threadIdx.x; blockIdx.x == 0 && i < n) // up to three numbers are left
        sum += fabsf(in[i]);
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(~0u, sum, distance);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, sum);
}

/// `in` is a 16-byte aligned array of n numbers in device memory, and `out` is one number in device memory. `stages` is
/// 2 to MAX_STAGES.
/// n is at most 2^31 - 2^22: the index of a block's next tile is an int, too.
cudaError_t launch(const float* in, float* out, int n, int stages, cudaStream_t stream) {
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    const size_t bytes = offsetof(Ring, tile) + stages * sizeof(float[TILE]);
    cudaFuncSetAttribute(sum_of_magnitudes, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    const int grid = std::clamp((n + TILE - 1) / TILE, 1, 2 * sms); // persistent blocks: two per SM
    sum_of_magnitudes<<<grid, THREADS, bytes, stream>>>(in, out, n, stages);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
