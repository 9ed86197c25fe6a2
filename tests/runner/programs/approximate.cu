// Executed approximately, but judged.
#include <cstdio>

__global__ void soften(float* x, long long* ticks) {
    const long long began = clock64();
    x[threadIdx.x] = __expf(x[threadIdx.x]); // line 6
    ticks[threadIdx.x] = clock64() - began;
    if (threadIdx.x > 64)
        x[0] = __sinf(x[0]); // never reached
}

int main() {
    float* x;
    long long* ticks;
    cudaMalloc(&x, 32 * sizeof(float));
    cudaMalloc(&ticks, 32 * sizeof(long long));
    cudaMemset(x, 0, 32 * sizeof(float));
    soften<<<1, 32>>>(x, ticks);
    std::printf("%d\n", cudaDeviceSynchronize());
}
