// The accumulators are scaled between two multiplications, and no wgmma.fence follows.
// says: A register of the operation was written at wgmma_accumulators_scaled_without_fence.cu:
#include <cstdint>

__device__ float out[128];

__global__ void multiply(float scale) {
    __shared__ alignas(128) uint16_t b[128];
    const int i = threadIdx.x;
    b[i] = 0x3f80;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const uint64_t matrix = __cvta_generic_to_shared(b) >> 4 | 8ull << 16 | 16ull << 32;
    const uint32_t ones = 0x3f803f80;
    float d[4] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int round = 0; round < 2; ++round) {
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, "
                     "1, 1, 1, 0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(ones), "l"(matrix)); // error: missing-wgmma-fence
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        for (float& each : d) {
            asm volatile("" : "+f"(each)::"memory");
            each *= scale;
        }
    }
    out[i] = d[0];
}

int main() {
    multiply<<<1, 128>>>(0.5f);
    return cudaDeviceSynchronize();
}

/*
== clean/wgmma_accumulators_scaled
The accumulators are scaled between two multiplications; wgmma.fence makes the second one see it.

     for (int round = 0; round < 2; ++round) {
+        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
*/
