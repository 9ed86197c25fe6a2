// A lane releases a stage for its warp after the product, and the other lanes read their scales after the product.
// says: Lane 0 of the reader's warp released the buffer, but nothing orders this read before that release
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

constexpr int rounds = 4, bytes = 128 * sizeof(float);
__device__ alignas(16) float scales[rounds][128];
__device__ float out[128];

__device__ float multiply(const uint16_t* b) {
    const uint64_t matrix = __cvta_generic_to_shared(b) >> 4 | 8ull << 16 | 16ull << 32;
    const uint32_t ones = 0x3f803f80;
    float d[4] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, "
                 "0, 1, 1, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(ones), "l"(matrix));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    return d[0];
}

__global__ void products() {
    __shared__ alignas(128) uint16_t b[128];
    __shared__ alignas(16) float scale[128];
    __shared__ uint64_t full, empty;
    const int i = threadIdx.x;
    if (i == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_init(&empty, 4); // a lane of each warp
    }
    if (i < 128)
        b[i] = 0x3f80;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (i == 128)
        for (int r = 0; r < rounds; ++r) {
            while (!ptx::mbarrier_try_wait_parity(&empty, 1 ^ r % 2)) {
            }
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, bytes);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, scale, scales[r], bytes, &full); // error: refill-while-read
        }
    if (i >= 128)
        return;
    float sum = 0;
    for (int r = 0; r < rounds; ++r) {
        while (!ptx::mbarrier_try_wait_parity(&full, r % 2)) {
        }
        const float product = multiply(b);
        sum += product * scale[i]; // other
        ptx::fence_proxy_async(ptx::space_shared);
        if (i % 32 == 0)
            ptx::mbarrier_arrive(&empty);
    }
    out[i] = sum;
}

int main() {
    products<<<1, 160>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/read_before_the_product_and_released
All have read their scales before they meet at the product: customary, and a note.

-        const float product = multiply(b);
-        sum += product * scale[i];
+        const float mine = scale[i];
+        sum += mine * multiply(b);
*/
