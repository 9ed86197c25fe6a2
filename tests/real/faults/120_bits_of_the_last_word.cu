// source: cudf#8873, count_set_bits reads bytes of a null mask that nobody has written
// cause: The rows end in the middle of a word of the mask, and the rest of that word has no value when it is counted.
// rule: uninitialised-read
#include <cstdio>
#include <vector>

constexpr int rows = 88, words = (rows + 31) / 32, threads = 32;

// A byte of the mask for eight rows.
__global__ void set_mask(const int* column, unsigned char* mask) {
    const int byte = threadIdx.x;
    unsigned bits = 0;
    for (int b = 0; b < 8 && 8 * byte + b < rows; ++b)
        bits |= (column[8 * byte + b] % 3 != 0) << b;
    if (8 * byte < rows)
        mask[byte] = bits;
}

__global__ void count_set_bits(const unsigned* mask, int* count) {
    if (threadIdx.x < words)
        atomicAdd(count, __popc(mask[threadIdx.x])); // <-- cause
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
    const std::vector<int> column = numbers(rows);
    int *count = to_device({0}), expected = 0;
    unsigned* mask;
    cudaMalloc(&mask, words * sizeof(unsigned));
    set_mask<<<1, threads>>>(to_device(column), reinterpret_cast<unsigned char*>(mask));
    count_set_bits<<<1, threads>>>(mask, count);
    for (const int value : column)
        expected += value % 3 != 0;
    return verdict(to_host(count, 1)[0] != expected);
}
