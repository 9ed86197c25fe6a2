// source: CUDA C++ Programming Guide, "Memory Fence Functions": the host needs __threadfence_system() between data and
//     flag
// cause: The kernel raises the host's flag without a system-wide fence after the data, so the host may read old data.
// rule: host-read-before-sync|scope-too-narrow
#include <cstdio>
#include <vector>

constexpr int n = 32;

__global__ void produce(volatile int* data, volatile int* ready) {
    data[threadIdx.x] = 5 * threadIdx.x; // <-- cause
    __syncwarp();
    if (threadIdx.x == 0)
        *ready = 1; // <-- cause
}

int verdict(int wrong) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}

int main() {
    volatile int *data, *ready;
    cudaHostAlloc((void**)&data, n * sizeof(int), cudaHostAllocMapped);
    cudaHostAlloc((void**)&ready, sizeof(int), cudaHostAllocMapped);
    *ready = 0;
    for (int i = 0; i < n; ++i)
        data[i] = -1;
    produce<<<1, n>>>(data, ready);
    while (*ready == 0)
        cudaStreamQuery(nullptr);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += data[i] != 5 * i; // <-- cause
    return verdict(wrong);
}
