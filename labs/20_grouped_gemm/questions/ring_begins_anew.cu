#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int WORDS = 32, STAGES = 2, TILES = 3, STEPS = 3;

struct Shared {
    alignas(128) int ring[STAGES][WORDS];
    uint64_t full[STAGES], empty[STAGES];
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// Warp 0 loads, warp 1 adds up the steps of a tile.
__global__ void __launch_bounds__(64) add_up(const int* in, int* out) {
    __shared__ Shared s;
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES; ++i) {
            ptx::mbarrier_init(&s.full[i], 1);
            ptx::mbarrier_init(&s.empty[i], 1);
        }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int loads = 0; loads < TILES * STEPS; ++loads) {
            const int stage = loads % STAGES;
            wait(&s.empty[stage], (loads / STAGES + 1) % 2);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full[stage],
                                           sizeof s.ring[stage]);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s.ring[stage], in + loads * WORDS,
                               sizeof s.ring[stage], &s.full[stage]);
        }
    } else if (threadIdx.x >= 32) {
        const int lane = threadIdx.x % 32;
        for (int tile = 0; tile < TILES; ++tile) {
            int sum = 0;
            for (int step = 0; step < STEPS; ++step) {
                const int stage = step % STAGES;
                wait(&s.full[stage], step / STAGES % 2);
                sum += s.ring[stage][lane];
                ptx::fence_proxy_async(ptx::space_shared);
                __syncwarp();
                if (lane == 0)
                    ptx::mbarrier_arrive(&s.empty[stage]);
            }
            out[tile * WORDS + lane] = sum;
        }
    }
}

int main() {
    int* memory;
    cudaMalloc(&memory, TILES * (STEPS + 1) * WORDS * sizeof(int));
    cudaMemset(memory, 0, TILES * (STEPS + 1) * WORDS * sizeof(int));
    add_up<<<1, 64>>>(memory, memory + TILES * STEPS * WORDS);
    cudaDeviceSynchronize();
}
