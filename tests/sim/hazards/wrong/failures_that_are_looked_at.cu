// Calls that fail, and whose errors the program looks at in one of the usual ways.
// says: The program looks at the error.
#include <cstdio>

__global__ void nothing() {}

static void check(cudaError_t error) {
    if (error != cudaSuccess)
        std::puts(cudaGetErrorString(error));
}

static cudaError_t fill(void* data) {
    return cudaMemset(data, 0, 4096); // warning 1: failed-call
}

int main() {
    int* data;
    cudaMalloc(&data, 64);
    check(fill(data));
    check(cudaFree(data + 1));                   // warning 2: failed-call
    cudaError_t first = cudaMemset(data, 0, 65); // warning 3: failed-call
    cudaFree(data);
    if (first)
        std::puts("the first one");
    nothing<<<1, 4096>>>(); // warning 4: failed-call
    check(cudaPeekAtLastError());
    nothing<<<1, 2048>>>(); // warning 5: failed-call
    cudaDeviceSynchronize();
    check(cudaGetLastError());
    nothing<<<1, 32>>>();
    return cudaDeviceSynchronize();
}
