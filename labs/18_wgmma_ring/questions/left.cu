__device__ float out[128];

// Issues d += A * transpose of B: every element of A is 1, and `b` describes 8 rows of 16 elements.
__device__ void wgmma(float (&d)[4], unsigned long long b) {
    const unsigned ones = 0x3f803f80; // two bfloat16
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, "
                 "1, 1, 1, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(ones), "l"(b));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

__global__ void multiply() {
    __shared__ alignas(128) unsigned short b[128];
    const int i = threadIdx.x;
    b[i] = 0x3f80;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const unsigned long long matrix = __cvta_generic_to_shared(b) >> 4 | 8ull << 16 | 16ull << 32;
    float d[4] = {}, e[4] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    wgmma(d, matrix); // the first group
    wgmma(e, matrix); // the second
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
    out[i] = d[0];
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    out[i] += e[0];
}

int main() {
    multiply<<<1, 128>>>();
    cudaDeviceSynchronize();
}
