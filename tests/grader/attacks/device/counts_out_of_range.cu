// Counts of barriers at both ends of their range, and beyond.
__global__ void counts_wildly(float* out) {
    __shared__ alignas(8) unsigned long long barriers[8];
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(barriers));
    unsigned i = 0;
    for (const unsigned count : {0u, 1u, (1u << 20) - 1, 1u << 20, 0x7fffffffu, 0x80000000u, ~0u}) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at + 8 * i), "r"(count) : "memory");
        for (const unsigned less : {1u, 2u, (1u << 20) - 1, 1u << 20, ~0u})
            asm volatile("{ .reg .b64 state; mbarrier.arrive.noComplete.shared.b64 state, [%0], %1; }" ::"r"(at + 8 * i), "r"(less) : "memory");
#if __CUDA_ARCH__ >= 900
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared.b64 [%0], %1;" ::"r"(at + 8 * i), "r"(count) : "memory");
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared.b64 [%0], %1;" ::"r"(at + 8 * i), "r"(~count) : "memory");
#endif
        ++i;
    }
    out[0] = barriers[0];
}
static void counts_out_of_range(const float* in, float* out, int n) {
    counts_wildly<<<1, 1, 0, given>>>(out);
    cudaDeviceSynchronize();
}
