#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>

__device__ float rounded;

__global__ void round_to_four_bits(float x) {
    unsigned halves;
    asm volatile("{ .reg .b8 narrow; cvt.rn.satfinite.e2m1x2.f32 narrow, %1, %1; cvt.rn.f16x2.e2m1x2 %0, narrow; }"
                 : "=r"(halves)
                 : "f"(x));
    rounded = __half2float(__ushort_as_half(static_cast<unsigned short>(halves)));
}

int main() {
    round_to_four_bits<<<1, 1>>>(X);
    float value;
    cudaMemcpyFromSymbol(&value, rounded, sizeof value);
    std::printf("answer: %g\n", value);
}
