#include <cstdint>

__global__ void sum(const char* in, unsigned* out) {
    unsigned x[8];
    asm volatile("ld.global.v8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]), "=r"(x[4]), "=r"(x[5]), "=r"(x[6]), "=r"(x[7])
                 : "l"(in));
    *out = x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7];
}

int main() {
    char* in;
    unsigned* out;
    cudaMalloc(&in, 256);
    cudaMalloc(&out, sizeof *out);
    cudaMemset(in, 0, 256);
    sum<<<1, 1>>>(in + OFFSET, out);
    cudaDeviceSynchronize();
}
