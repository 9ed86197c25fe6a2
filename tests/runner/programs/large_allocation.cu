// 2 GiB, of which only the ends are touched.
#include <cstdio>

__global__ void kernel(char* data, size_t bytes) {
    data[0] = 1;
    data[bytes - 1] = 2;
}

int main() {
    constexpr size_t bytes = size_t{2} << 30;
    char* data = nullptr;
    if (cudaMalloc(&data, bytes) != cudaSuccess)
        return 1;
    kernel<<<1, 1>>>(data, bytes);
    char ends[2] = {};
    cudaMemcpy(&ends[0], data, 1, cudaMemcpyDeviceToHost);
    cudaMemcpy(&ends[1], data + bytes - 1, 1, cudaMemcpyDeviceToHost);
    std::printf("%d %d\n", ends[0], ends[1]);
}
