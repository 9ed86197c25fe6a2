// On a GPU an integer divided by zero is no trap: every bit of the result is set.
#include <cstdio>

__global__ void kernel(unsigned* data) {
    data[1] = data[1] / data[0];
}

int main() {
    unsigned values[2] = {0, 7}, *data = nullptr;
    cudaMalloc(&data, sizeof values);
    cudaMemcpy(data, values, sizeof values, cudaMemcpyHostToDevice);
    kernel<<<1, 1>>>(data);
    cudaMemcpy(values, data, sizeof values, cudaMemcpyDeviceToHost);
    std::printf("%x\n", values[1]);
}
