// The producer does not ask whether the stage has been read.
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

__device__ int in[8][32], out[8][32];

__global__ void ring() {
    constexpr int stages = 2;
    __shared__ int tile[stages][32];
    __shared__ __mbarrier_t full[stages], empty[stages];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        for (int s = 0; s < stages; ++s) {
            __mbarrier_init(&full[s], 32);
            __mbarrier_init(&empty[s], 32);
        }
    __syncthreads();
    for (int t = 0; t < 8; ++t) {
        const int s = t % stages;
        if (threadIdx.x < 32) {
            if (t >= stages)
                __nanosleep(2000); // long enough, the author thinks
            __pipeline_memcpy_async(&tile[s][lane], &in[t][lane], sizeof(int));
            // error 1: overlapping-copies, other 1, error 2: refill-while-read
            const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&full[s]));
            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory");
        } else {
            while (!__mbarrier_test_wait_parity(&full[s], t / stages % 2)) {
            }
            out[t][lane] = tile[s][31 - lane]; // other 2
            __mbarrier_arrive(&empty[s]); // note 3: phase-without-wait
        }
    }
}

int main() {
    ring<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
