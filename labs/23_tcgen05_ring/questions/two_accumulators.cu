#include <cstdint>
#include <cstdio>

__device__ float out[2][128];

__device__ unsigned shared(const void* p) {
    return unsigned(__cvta_generic_to_shared(p));
}

__global__ void multiply() {
    __shared__ alignas(128) unsigned short a[2048], b[128]; // 128 rows and 8 columns of 16 bfloat16, without a swizzle
    __shared__ alignas(8) uint64_t done;
    __shared__ unsigned address;
    const unsigned i = threadIdx.x;
    for (int k = 0; k < 16; ++k)
        a[16 * i + k] = 0x3f80;
    b[i] = 0x3f80;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if (i == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&done)) : "memory");
    if (i < 32)
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(shared(&address))
                     : "memory");
    __syncthreads();
    const uint64_t layout = 1ull << 46 | 16ull << 32 | 8ull << 16;
    if (i == 0)
        for (int product = 1; product <= 2; ++product) {
            asm volatile(
                "{ .reg .pred p; setp.ne.u32 p, 0, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(
                    address + 8 * (product - 1)),
                "l"(layout | shared(a) >> 4), "l"(layout | shared(b) >> 4),
                "r"(1 << 4 | 1 << 7 | 1 << 10 | 1 << 17 | 8 << 24)
                : "memory");
            if (product == AFTER)
                asm volatile(
                    "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(shared(&done))
                    : "memory");
        }
    __syncwarp();
    asm volatile(
        "{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W; }" ::"r"(shared(&done))
        : "memory");
    for (int accumulator = 0; accumulator < 2; ++accumulator)
        asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];"
                     : "=f"(out[accumulator][i])
                     : "r"(address + (i / 32 * 32 << 16) + 8 * accumulator)
                     : "memory");
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
    __syncthreads();
    if (i < 32)
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(address));
}

int main() {
    multiply<<<1, 128>>>();
    cudaDeviceSynchronize();
    std::printf("answer: %s\n", cudaGetErrorString(cudaGetLastError()));
}
