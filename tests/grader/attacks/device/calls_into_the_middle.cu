// Addresses near those of functions.
__device__ __noinline__ int whole(int x) {
    return x * 7 + 3;
}
__device__ char* volatile whole_at;
__global__ void calls_near(int offset) {
    whole_at = reinterpret_cast<char*>(&whole) + offset;
    printf("%d", reinterpret_cast<int (*)(int)>(whole_at)(1));
}
static void calls_into_the_middle(const float* in, float* out, int n) {
    for (const int offset : {1, 4, 8, 16, -1, 1 << 20})
        calls_near<<<1, 1, 0, given>>>(offset);
    cudaDeviceSynchronize();
}
