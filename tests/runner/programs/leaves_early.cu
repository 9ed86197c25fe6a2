// Exits with 0 and waits for nothing that it has launched: FAULT says what the kernel does.
#include <unistd.h>

__global__ void work(int* x) {
#if FAULT == 1 // a race
    __shared__ int shared[64];
    shared[threadIdx.x] = threadIdx.x;
    x[threadIdx.x] = shared[63 - threadIdx.x];
    return;
#elif FAULT == 2 // it does not end soon
    for (unsigned i = 0; i != 0xffffffff; ++i)
        asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(x + threadIdx.x), "r"(i));
#elif FAULT == 3
    __trap();
#elif FAULT == 4
    asm volatile("{ .reg .b32 r; alloca.u32 r, 16; }");
#endif
    x[threadIdx.x] = 1;
}

int main() {
    int* x;
    cudaMalloc(&x, 64 * sizeof(int));
    work<<<1, 64>>>(x);
    _exit(0);
}
