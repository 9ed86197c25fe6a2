// Lanes, masks and widths that do not exist.
__global__ void shuffles(float* out, unsigned wild) {
    unsigned got = 0;
    for (unsigned i = 0; i < 4; ++i) {
        unsigned word;
        asm volatile("shfl.sync.idx.b32 %0, %1, %2, %3, %4;" : "=r"(word) : "r"(threadIdx.x), "r"(wild >> i), "r"(wild), "r"(wild | 1u << threadIdx.x));
        got += word;
    }
    asm volatile("{ .reg .b32 r; match.any.sync.b32 r, %1, %0; add.u32 %0, %0, r; }" : "+r"(got) : "r"(wild));
    out[threadIdx.x] = got;
}
static void shuffles_wildly(const float* in, float* out, int n) {
    shuffles<<<1, 32, 0, given>>>(out, 0xdeadbeefu ^ n);
    cudaDeviceSynchronize();
}
