// A function without a result is called for a large one.
struct Result {
    unsigned of[800];
};
__device__ __noinline__ void returns_nothing(unsigned x) {
    if (x == 123456)
        printf("never");
}
__device__ void* volatile returns_nothing_at;
__global__ void takes_results() {
    returns_nothing_at = reinterpret_cast<void*>(&returns_nothing);
    const Result all = reinterpret_cast<Result (*)(unsigned)>(returns_nothing_at)(1);
    for (const unsigned one : all.of)
        if (one)
            printf("BREACH %08x", one);
}
static void takes_results_of_nothing(const float* in, float* out, int n) {
    takes_results<<<1, 1, 0, given>>>();
    cudaDeviceSynchronize();
}
