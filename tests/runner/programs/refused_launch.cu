// Too many threads. With an argument the program looks at the error; with two it then launches fewer threads.
#include <cstdio>

__global__ void fill(int* data) {
    data[threadIdx.x] = 1;
}

__global__ void never(int* data) {
    data[threadIdx.x] = 2;
}

int main(int argc, char**) {
    int* data = nullptr;
    cudaMalloc(&data, 4096 * sizeof(int));
    fill<<<1, 4096>>>(data);
    if (argc > 1 && cudaGetLastError() != cudaSuccess)
        std::puts("refused");
    if (argc > 2)
        fill<<<1, 64>>>(data);
    if (argc > 5)
        never<<<1, 1>>>(data);
    return cudaDeviceSynchronize() != cudaSuccess;
}
