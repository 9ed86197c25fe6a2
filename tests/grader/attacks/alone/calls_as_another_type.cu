// Functions called as others are: one returns far more than its caller has room for, one far less than its caller reads.
struct Much {
    unsigned words[512];
};
__device__ __noinline__ Much much(unsigned x) {
    Much all;
    for (unsigned& one : all.words)
        one = x;
    return all;
}
__device__ __noinline__ unsigned little(unsigned x) {
    return x + 1;
}
__device__ void* volatile called;
__global__ void takes_much(float* out) {
    called = reinterpret_cast<void*>(&much);
    out[0] = reinterpret_cast<unsigned (*)(unsigned)>(called)(7);
}
__global__ void reads_much() {
    called = reinterpret_cast<void*>(&little);
    const Much all = reinterpret_cast<Much (*)(unsigned)>(called)(7);
    for (int i = 1; i < 512; ++i)
        if (all.words[i])
            printf("BREACH %08x", all.words[i]);
}
static void calls_as_another_type(const float* in, float* out, int n) {
    if (n & 1)
        takes_much<<<1, 32, 0, given>>>(out);
    else
        reads_much<<<1, 1, 0, given>>>();
    cudaDeviceSynchronize();
}
