// Two stages of matrix B lie one behind the other. The descriptor begins in the middle of the first, so the operation
// reads the beginning of the second, too, for which nobody has waited.
// says: and goes on in one that has not: the bytes from 128 behind its first byte on belong to another copy.
#include <cuda/ptx>

__device__ alignas(16) unsigned char in[2][256];
__device__ float out[128][4];

__global__ void multiply() {
    namespace ptx = cuda::ptx;
    __shared__ alignas(128) unsigned char b[2][256]; // 8 rows of 16 elements, as two pieces of 8 rows of 16 bytes
    __shared__ uint64_t full[2];
    if (threadIdx.x == 0) {
        for (int s = 0; s < 2; ++s)
            ptx::mbarrier_init(&full[s], 1);
#pragma unroll 1
        for (int s = 0; s < 2; ++s) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], 256);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, b[s], in[s], 256, &full[s]); // other
        }
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&full[0], 0)) {
    }
    const unsigned char* first = b[0] + 128;
    const uint64_t start = __cvta_generic_to_shared(first) / 16, pieces = 128 / 16;
    const uint64_t descriptor = start | pieces << 16 | pieces << 32;
    float d[4] = {};
    const unsigned a[4] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptor) // error: wgmma-descriptor
                 : "memory");
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < 4; ++i)
        out[threadIdx.x][i] = d[i];
    while (!ptx::mbarrier_try_wait_parity(&full[1], 0)) {
    }
}

int main() {
    multiply<<<1, 128>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/wgmma_operand_begins_at_its_first_row
The descriptor begins where the tile does.

-    const unsigned char* first = b[0] + 128;
+    const unsigned char* first = b[0];
*/
