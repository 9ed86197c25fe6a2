// source: fvdb-core#409, the radix sort's counts and offsets lie in unified memory and the host reads them without
//     synchronisation
// cause: The host adds up the counts in managed memory while the kernel that counts may still be running.
// rule: host-read-before-sync
#include <cstdio>
#include <vector>

constexpr int rows = 64, columns = 32;

__global__ void count_zeros(const int* matrix, int* counts) {
    const int row = threadIdx.x;
    int zeros = 0;
    for (int c = 0; c < columns; ++c)
        zeros += matrix[row * columns + c] % 4 == 0;
    counts[row] = zeros; // <-- cause
}

std::vector<int> numbers(int n) {
    std::vector<int> values(n);
    for (int i = 0; i < n; ++i)
        values[i] = i * 7 % 1009;
    return values;
}

int verdict(int wrong) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}

int main() {
    int *matrix, *counts, offsets[rows + 1] = {};
    cudaMallocManaged(&matrix, rows * columns * sizeof(int));
    cudaMallocManaged(&counts, rows * sizeof(int));
    const std::vector<int> values = numbers(rows * columns);
    for (int i = 0; i < rows * columns; ++i)
        matrix[i] = values[i];
    count_zeros<<<1, rows>>>(matrix, counts); // <-- cause
    for (int row = 0; row < rows; ++row)
        offsets[row + 1] = offsets[row] + counts[row]; // <-- cause
    int wrong = 0, expected = 0;
    for (int row = 0; row < rows; ++row) {
        for (int c = 0; c < columns; ++c)
            expected += values[row * columns + c] % 4 == 0;
        wrong += offsets[row + 1] != expected;
    }
    return verdict(wrong);
}
