// A CUDA function that the simulated device does not have, in a program that does not look at errors.
#include <cstdio>

int main(int arguments, char**) {
    int* x;
    cudaMalloc(&x, 4);
    if (arguments == 1) {
        cudaArray_t array;
        const auto format = cudaCreateChannelDesc<float>();
        cudaMallocArray(&array, &format, 16);
    }
    std::puts("done");
}
