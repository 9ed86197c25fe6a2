#include <cstdint>
#include <cstdio>

__device__ float out[256];

__device__ unsigned shared(const void* p) {
    return unsigned(__cvta_generic_to_shared(p));
}

__device__ void meet() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__global__ void __cluster_dims__(2) multiply() {
    __shared__ alignas(128) unsigned short a[2048], b[128]; // 128 rows of A and 8 of B, of 16 bfloat16 each
    __shared__ alignas(8) uint64_t done;
    __shared__ unsigned address;
    const unsigned i = threadIdx.x;
    for (int k = 0; k < 16; ++k)
        a[16 * i + k] = 0x3f80;
    b[i] = 0x3f80;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if (i == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(shared(&done))
                     : "memory");
    meet();
    if (i < 32)
        asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(shared(&address))
                     : "memory");
    meet();
    const uint64_t layout = 1ull << 46 | 16ull << 32 | 8ull << 16;
    if (i == 0 && blockIdx.x == 0) {
        asm volatile(
            "{ .reg .pred p; setp.ne.u32 p, 0, 0; tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(
                address),
            "l"(layout | (shared(a) & 0x3ffff) >> 4), "l"(layout | (shared(b) & 0x3ffff) >> 4),
            "r"(1 << 4 | 1 << 7 | 1 << 10 | 2 << 17 | 16 << 24)
            : "memory");
        asm volatile(
            "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(
                shared(&done)),
            "h"(uint16_t(MASK))
            : "memory");
    }
    __syncwarp();
    asm volatile(
        "{ .reg .pred p; W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0; @!p bra W; }" ::"r"(
            shared(&done))
        : "memory");
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];"
                 : "=f"(out[128 * blockIdx.x + i])
                 : "r"(address + (i / 32 * 32 << 16))
                 : "memory");
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
    meet();
    if (i < 32)
        asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, 32;" ::"r"(address));
}

int main() {
    multiply<<<2, 128>>>();
    cudaDeviceSynchronize();
    std::printf("answer: %s\n", cudaGetErrorString(cudaGetLastError()));
}
