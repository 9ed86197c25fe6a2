// Sizes and addresses of copies that wrap around.
__global__ void copies_wrapping(const float* in) {
#if __CUDA_ARCH__ >= 900
    __shared__ alignas(16) char tile[1024];
    __shared__ unsigned long long barrier;
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile)), at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
    for (const unsigned bytes : {0u, 16u, 0x80000000u, 0xfffffff0u, 1u << 20})
        for (const unsigned long long from : {(unsigned long long)in, ~15ull, 1ull << 63, 0ull})
            for (const unsigned where : {to, to + 1008, 0xfffffff0u})
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(where), "l"(from),
                             "r"(bytes), "r"(at) : "memory");
#else
    __shared__ alignas(16) char tile[1024];
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile));
    for (const unsigned where : {to + 1016, 0xfffffff0u})
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(where), "l"(in), "r"(0x80000000u) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
static void copies_sizes_that_wrap(const float* in, float* out, int n) {
    copies_wrapping<<<1, 1, 0, given>>>(in);
    cudaDeviceSynchronize();
}
