// A ring in the direction of the stores: one warp writes parts to two buffers, and another one stores them. `written`
// says that a part is in its buffer, `stored` that the store has read it.
#include <cstdio>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int WORDS = 32, OUTS = 2, PARTS = 7;

struct Shared {
    alignas(128) int out[OUTS][WORDS];
    uint64_t written[OUTS], stored[OUTS];
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

__device__ void write(Shared& s) {
    const int lane = threadIdx.x % 32;
    for (int part = 0; part < PARTS; ++part) {
        const int out = part % OUTS, lap = part / OUTS;
        wait(&s.stored[out], (lap + 1) % 2);
        s.out[out][lane] = part * WORDS + lane;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncwarp();
        if (lane == 0)
            ptx::mbarrier_arrive(&s.written[out]);
    }
}

__device__ void store(Shared& s, int* result) {
    for (int part = 0; part < PARTS; ++part) {
        const int out = part % OUTS, lap = part / OUTS;
        wait(&s.written[out], lap % 2);
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, result + part * WORDS, s.out[out], sizeof s.out[out]);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        ptx::mbarrier_arrive(&s.stored[out]);
    }
}

__global__ void count_up(int* result) {
    __shared__ Shared s;
    if (threadIdx.x == 0)
        for (int i = 0; i < OUTS; ++i) {
            ptx::mbarrier_init(&s.written[i], 1);
            ptx::mbarrier_init(&s.stored[i], 1);
        }
    __syncthreads();
    if (threadIdx.x >= 32)
        write(s);
    else if (threadIdx.x == 0)
        store(s, result);
}

int main() {
    int *result, host[PARTS * WORDS], bad = 0;
    cudaMalloc(&result, sizeof host);
    count_up<<<1, 64>>>(result);
    cudaMemcpy(host, result, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < PARTS * WORDS; ++i)
        bad += host[i] != i;
    std::puts(bad ? "wrong" : "right");
}
