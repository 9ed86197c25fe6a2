#include <cstdlib>

int main() {
    int *host, *device;
    cudaMalloc(&device, 1024 * sizeof(int));
#if PINNED
    cudaMallocHost(&host, 1024 * sizeof(int));
#else
    host = static_cast<int*>(std::malloc(1024 * sizeof(int)));
#endif
    for (int i = 0; i < 1024; ++i)
        host[i] = i;
    cudaMemcpyAsync(device, host, 1024 * sizeof(int), cudaMemcpyHostToDevice);
    host[0] = 7;
    cudaDeviceSynchronize();
}
