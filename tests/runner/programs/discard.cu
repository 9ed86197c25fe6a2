// An instruction whose effect on memory the simulated device does not follow.
#include <cstdio>

__global__ void forget(int* x) {
#ifdef CORRECT
    asm volatile("prefetch.global.L2 [%0];" ::"l"(x) : "memory"); // a mere hint
#else
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(x) : "memory");
#endif
    x[0] = 1;
}

int main() {
    int* x;
    cudaMalloc(&x, 128);
    forget<<<1, 1>>>(x);
    std::printf("%d\n", cudaDeviceSynchronize());
}
