// Named barriers with ids and counts from registers.
__global__ void meets_oddly(int id, int count) {
    asm volatile("barrier.cta.arrive %0, %1;" ::"r"(id), "r"(count) : "memory");
    asm volatile("barrier.cta.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; barrier.cta.red.popc.u32 %0, %1, %2, p; }" : "+r"(id) : "r"(id), "r"(count) : "memory");
}
static void meets_at_odd_barriers(const float* in, float* out, int n) {
    for (const int id : {0, 15, 16, 17, 1 << 20, -1})
        for (const int count : {32, 0, 31, 2048, -32})
            meets_oddly<<<1, 64, 0, given>>>(id, count);
    cudaDeviceSynchronize();
}
