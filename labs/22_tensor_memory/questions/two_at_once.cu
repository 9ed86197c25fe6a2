#include <cstdint>
#include <cstdio>

__device__ float results[3];

__device__ uint64_t pair(float low, float high) {
    return uint64_t(__float_as_uint(high)) << 32 | __float_as_uint(low);
}

__global__ void compute(float a, float b) {
    uint64_t sums;
    asm volatile("fma.rn.f32x2 %0, %1, %2, %3;" : "=l"(sums) : "l"(pair(1, a)), "l"(pair(2, b)), "l"(pair(3, 4)));
    float most;
    asm volatile("max.f32 %0, %1, %2, %3;" : "=f"(most) : "f"(a), "f"(b), "f"(5.0f));
    results[0] = __uint_as_float(uint32_t(sums));
    results[1] = __uint_as_float(uint32_t(sums >> 32));
    results[2] = most;
}

int main() {
    compute<<<1, 1>>>(A, B);
    float values[3];
    cudaMemcpyFromSymbol(values, results, sizeof values);
    std::printf("answer: %g %g %g\n", values[0], values[1], values[2]);
}
