// Exits with 0 and waits for nothing that it has launched: the argument says which kernel.
#include <unistd.h>

__global__ void race(int* x) {
    __shared__ int shared[64];
    shared[threadIdx.x] = threadIdx.x;
    x[threadIdx.x] = shared[63 - threadIdx.x];
}
__global__ void does_not_end_soon(int* x) {
    for (unsigned i = 0; i != 0xffffffff; ++i)
        asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(x + threadIdx.x), "r"(i));
    x[threadIdx.x] = 1;
}
__global__ void traps(int* x) {
    __trap();
    x[threadIdx.x] = 1;
}
__global__ void not_supported(int* x) {
    asm volatile("{ .reg .b32 r; alloca.u32 r, 16; }");
    x[threadIdx.x] = 1;
}
__global__ void good(int* x) {
    x[threadIdx.x] = 1;
}

int main(int, char** arguments) {
    void (*const kernels[])(int*) = {good, race, does_not_end_soon, traps, not_supported};
    int* x;
    cudaMalloc(&x, 64 * sizeof(int));
    kernels[*arguments[1] - '0']<<<1, 64>>>(x);
    _exit(0);
}
