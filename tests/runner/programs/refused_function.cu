// A CUDA function that the simulated device does not have, in a program that does not look at errors.
#include <cstdio>

int main() {
    int* x;
    cudaMalloc(&x, 4);
#ifndef CORRECT
    cudaArray_t array;
    const auto format = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &format, 16);
#endif
    std::puts("done");
}
