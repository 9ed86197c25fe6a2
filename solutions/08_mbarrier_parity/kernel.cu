// Lab 08: converts big-endian numbers to little-endian through a ring of stages with two mbarriers each, in PTX.
// out[i] is in[i] with its four bytes reversed.
#include "lab.h"

#include <algorithm>

constexpr int CONSUMER_WARPS = 8;             // warps, plus one producer warp
constexpr int TILE = CONSUMER_WARPS * 8 * 32; // numbers: 8 KiB
constexpr int STAGES = 4;
constexpr int THREADS = 32 * (CONSUMER_WARPS + 1);

// sm_90 has a wait that may suspend the thread for a while. sm_80 can only ask.
#if __CUDA_ARCH__ >= 900
#define MBARRIER_WAIT_PARITY "mbarrier.try_wait.parity.shared.b64"
#else
#define MBARRIER_WAIT_PARITY "mbarrier.test_wait.parity.shared.b64"
#endif

__device__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Copies 16 bytes asynchronously. Only the first `valid` bytes are read; the rest become zeros.
__device__ void copy_16(void* shared, const void* global, int valid) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(shared)), "l"(global), "r"(valid)
                 : "memory");
}

__device__ void init(uint64_t* barrier, unsigned count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}

__device__ void arrive(uint64_t* barrier) {
    // TODO(1): the arrival returns a state, which is not needed here.
    asm volatile("{\n"
                 ".reg .b64 state;\n"
                 "mbarrier.arrive.shared.b64 state, [%0];\n"
                 "}" ::"r"(shared_address(barrier))
                 : "memory");
    // END TODO(1)
}

// Arrives for this thread when all its copies so far are complete. The arrival is one of those that init expects.
__device__ void arrive_when_copied(uint64_t* barrier) {
    // TODO(2): one instruction.
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
    // END TODO(2)
}

// Returns when the phase of that parity is complete: 0 for a barrier's first phase, 1 for the second, then 0 again …
__device__ void wait(uint64_t* barrier, unsigned parity) {
    // TODO(3): ask until the answer is yes.
    unsigned complete = 0;
    while (!complete)
        asm volatile("{\n"
                     ".reg .pred complete;\n" MBARRIER_WAIT_PARITY " complete, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, complete;\n"
                     "}"
                     : "=r"(complete)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
    // END TODO(3)
}

// Stores out[i] … out[i + 3], as far as they exist.
__device__ void swap_and_store(uint32_t* out, int i, int n, uint4 x) {
    auto swap = [](uint32_t v) { return __byte_perm(v, 0, 0x0123); };
    const uint32_t y[4] = {swap(x.x), swap(x.y), swap(x.z), swap(x.w)};
    if (i + 3 < n)
        *reinterpret_cast<uint4*>(&out[i]) = {y[0], y[1], y[2], y[3]};
    else
        for (int j = 0; j < 4 && i + j < n; ++j)
            out[i + j] = y[j];
}

__global__ void __launch_bounds__(THREADS) swap_bytes(const uint32_t* in, uint32_t* out, int n) {
    __shared__ alignas(16) uint32_t ring[STAGES][TILE];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s) {
            // TODO(4): how many arrivals complete a phase?
            init(&full[s], 32);              // every lane of the producer warp, when its copies are complete
            init(&empty[s], CONSUMER_WARPS); // one lane of each consumer warp
            // END TODO(4)
        }
    }
    __syncthreads();

    for (int k = 0, first = blockIdx.x * TILE; first < n; ++k, first += gridDim.x * TILE) {
        const int stage = k % STAGES;
        const unsigned lap = k / STAGES; // how many times the ring has been filled before
        if (warp == CONSUMER_WARPS) {
            // TODO(5): wait until the stage is empty (in lap 0 it is), fill it, arrive.
            wait(&empty[stage], (lap + 1) % 2); // the phase before the first counts as complete, with parity 1
            for (int e = 4 * lane; e < TILE; e += 4 * 32)
                copy_16(&ring[stage][e], in + first + e, 4 * min(max(n - first - e, 0), 4));
            arrive_when_copied(&full[stage]);
            // END TODO(5)
        } else {
            const int e = 4 * threadIdx.x, half = TILE / 2;
            // TODO(6): wait until the stage is full, load x and y into registers, release the stage once per warp.
            wait(&full[stage], lap % 2);
            uint4 x = *reinterpret_cast<const uint4*>(&ring[stage][e]);
            uint4 y = *reinterpret_cast<const uint4*>(&ring[stage][e + half]);
            __syncwarp();
            if (lane == 0)
                arrive(&empty[stage]);
            // END TODO(6)
            swap_and_store(out, first + e, n, x);
            swap_and_store(out, first + e + half, n, y);
        }
    }
}

/// `in` and `out` are 16-byte aligned arrays of n numbers in device memory.
/// n is at most 2^31 - 2^22: the index of a block's next tile is an int, too.
cudaError_t launch(const uint32_t* in, uint32_t* out, int n, cudaStream_t stream) {
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    const int grid = std::min((n + TILE - 1) / TILE, sms); // persistent blocks: one on each SM
    if (grid > 0)
        swap_bytes<<<grid, THREADS, 0, stream>>>(in, out, n);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
