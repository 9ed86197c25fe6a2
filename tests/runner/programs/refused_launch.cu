// A launch with too many threads. -DLOOK: the program looks at the error; -DAGAIN: then it launches fewer threads.
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
#if defined(LOOK) || defined(AGAIN)
    if (cudaGetLastError() != cudaSuccess)
        std::puts("refused");
#endif
#ifdef AGAIN
    fill<<<1, 64>>>(data);
#endif
    if (argc > 5)
        never<<<1, 1>>>(data);
    return cudaDeviceSynchronize() != cudaSuccess;
}
