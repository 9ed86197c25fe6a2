// Reads numbers until there are no more, and adds them up on the device.
#include <cstdio>

__global__ void add(int* sum, int value) {
    *sum += value;
}

int main() {
    int* device = nullptr;
    cudaMalloc(&device, sizeof *device);
    cudaMemset(device, 0, sizeof *device);
    int value = 0, read = 0, sum = 0;
    for (; std::scanf("%d", &value) == 1; ++read)
        add<<<1, 1>>>(device, value);
    cudaMemcpy(&sum, device, sizeof sum, cudaMemcpyDeviceToHost);
    std::printf("%d numbers, %d\n", read, sum);
    return read == 0 ? 7 : 0;
}
