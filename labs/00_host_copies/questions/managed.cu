#include <cstdio>

__managed__ int squares[64];

__global__ void square() {
    squares[threadIdx.x] = threadIdx.x * threadIdx.x;
}

int main() {
    square<<<1, 64>>>();
#if CUDART_VERSION >= 13000
    cudaMemLocation host{};
    host.type = cudaMemLocationTypeHost;
    if (PREFETCH)
        cudaMemPrefetchAsync(squares, sizeof squares, host, 0);
#else
    if (PREFETCH)
        cudaMemPrefetchAsync(squares, sizeof squares, cudaCpuDeviceId);
#endif
    if (WAIT)
        cudaDeviceSynchronize();
    std::printf("%d\n", squares[7]);
    cudaDeviceSynchronize();
}
