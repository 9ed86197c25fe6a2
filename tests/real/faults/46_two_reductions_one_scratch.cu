// source: pytorch#162995, block_x_reduce and block_y_reduce use the same shared memory without synchronisation
//     between them
// cause: The second reduction writes the shared memory while other threads may still read the first one's result
//     there.
// rule: write-after-read-race
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int width = 32, height = 8;

__global__ void reduce(const int* in, int* columns, int* rows) {
    __shared__ int scratch[height][width];
    const int x = threadIdx.x, y = threadIdx.y, value = in[y * width + x];
    scratch[y][x] = value;
    __syncthreads();
    for (int step = height / 2; step > 0; step /= 2) {
        if (y < step)
            scratch[y][x] += scratch[y + step][x];
        __syncthreads();
    }
    const int column = scratch[0][width - 1 - x]; // <-- cause
    scratch[y][x] = value + column;               // <-- cause
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < width; ++i)
        sum += scratch[y][i];
    if (y == 0)
        columns[x] = column;
    if (x == 0)
        rows[y] = sum;
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
    const std::vector<int> in = numbers(width * height);
    int *columns = to_device(std::vector<int>(width)), *rows = to_device(std::vector<int>(height));
    reduce<<<1, dim3(width, height)>>>(to_device(in), columns, rows);
    const std::vector<int> c = to_host(columns, width), r = to_host(rows, height);
    int wrong = 0, all = 0;
    for (int x = 0; x < width; ++x) {
        int sum = 0;
        for (int y = 0; y < height; ++y)
            sum += in[y * width + width - 1 - x];
        wrong += c[x] != sum;
        all += sum;
    }
    for (int y = 0; y < height; ++y) {
        int sum = all;
        for (int x = 0; x < width; ++x)
            sum += in[y * width + x];
        wrong += r[y] != sum;
    }
    return verdict(wrong);
}
