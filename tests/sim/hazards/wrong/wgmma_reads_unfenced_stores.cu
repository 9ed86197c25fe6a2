// wgmma reads shared memory through the async proxy, so a barrier alone does not order it after ordinary stores.
// says: The write is ordered before the wgmma.mma_async, but no fence.proxy.async comes between them.
#include <cstdint>

__device__ float out[128];

__global__ void multiply() {
    __shared__ alignas(128) uint16_t b[128];
    const int i = threadIdx.x;
    b[i] = 0x3f80; // other
    __syncthreads();
    const uint64_t matrix = __cvta_generic_to_shared(b) >> 4 | 8ull << 16 | 16ull << 32;
    const uint32_t ones = 0x3f803f80;
    float d[4] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, "
                 "0, 1, 1, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(ones), "l"(matrix)); // error: missing-proxy-fence
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    out[i] = d[0];
}

int main() {
    multiply<<<1, 128>>>();
    return cudaDeviceSynchronize();
}
