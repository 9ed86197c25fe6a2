// The same with the bytes of dynamic shared memory.
__global__ void by_shared(float* out, int i) {
    unsigned bytes;
    asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    out[i] = (static_cast<float>(bytes) - 16384) / 16;
}
static void sizes_of_shared_memory(const float* in, float* out, int n) {
    const auto b = answers(in, n);
    for (int i = 0; i < n; ++i)
        by_shared<<<1, 1, static_cast<int>(16 * b[i]) + 16384, given>>>(out, i);
    cudaDeviceSynchronize();
}
