// A function gets fewer arguments than it reads.
struct Wide {
    unsigned of[1024];
};
__device__ __noinline__ unsigned takes_wide(Wide all, unsigned i) {
    return all.of[i % 1024];
}
__device__ void* volatile takes_wide_at;
__global__ void passes_fewer() {
    takes_wide_at = reinterpret_cast<void*>(&takes_wide);
    for (unsigned i = 0; i < 1024; ++i)
        if (const unsigned got = reinterpret_cast<unsigned (*)(unsigned)>(takes_wide_at)(i))
            printf("BREACH %08x", got);
}
static void calls_with_fewer(const float* in, float* out, int n) {
    passes_fewer<<<1, 1, 0, given>>>();
    cudaDeviceSynchronize();
}
