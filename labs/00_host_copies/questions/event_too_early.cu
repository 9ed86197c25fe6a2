#include <cstdio>

__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

int main() {
    int *device, *host;
    cudaEvent_t done;
    cudaMalloc(&device, 64 * sizeof(int));
    cudaMallocHost(&host, 64 * sizeof(int));
    cudaEventCreate(&done);
    fill<<<1, 64>>>(device);
    cudaEventRecord(done);
    cudaMemcpyAsync(host, device, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    cudaEventSynchronize(done);
    std::printf("%d\n", host[63]);
    cudaDeviceSynchronize();
}
