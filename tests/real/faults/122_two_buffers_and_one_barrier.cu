// source: csarofeen/pytorch#380, shared memory written in a loop needs a barrier at the end of the loop's body
// cause: A thread stores into the buffer of the iteration before last in time with threads that still read the last
//     one's.
// rule: write-after-read-race
#include <cstdio>
#include <vector>

constexpr int width = 64, tiles = 6;

__global__ void blur(const int* in, int* out) {
    __shared__ int buffer[2][width];
    const int t = threadIdx.x;
    buffer[0][t] = in[t];
    for (int tile = 0; tile < tiles; ++tile) {
        if (tile + 1 < tiles)
            buffer[(tile + 1) % 2][t] = in[(tile + 1) * width + t]; // <-- cause
        __syncthreads();
        const int* current = buffer[tile % 2];
        out[tile * width + t] = current[(t + 1) % width] + current[(t + width - 1) % width]; // <-- cause
    }
}

int* to_device(const std::vector<int>& values) {
    int* p;
    cudaMalloc(&p, values.size() * sizeof(int));
    cudaMemcpy(p, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
    return p;
}

std::vector<int> numbers(int n) {
    std::vector<int> values(n);
    for (int i = 0; i < n; ++i)
        values[i] = i * 7 % 1009;
    return values;
}

std::vector<int> to_host(const int* p, int n) {
    std::vector<int> values(n);
    cudaMemcpy(values.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost);
    return values;
}

int verdict(int wrong) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}

int main() {
    const std::vector<int> in = numbers(tiles * width);
    int *out = to_device(in), wrong = 0;
    blur<<<1, width>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, tiles * width);
    for (int i = 0; i < tiles * width; ++i) {
        const int t = i % width, row = i - t;
        wrong += result[i] != in[row + (t + 1) % width] + in[row + (t + width - 1) % width];
    }
    return verdict(wrong);
}
