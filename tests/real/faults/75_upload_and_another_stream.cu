// source: risc0#3522, a kernel reads data that a copy from pageable memory is still bringing to the GPU
// cause: A copy from pageable memory may return before the bytes are on the device, and the kernel's stream does not
//     wait for it.
// rule: stream-race|pageable-async-copy
#include <cstdio>
#include <vector>

constexpr int n = 1024;

__global__ void divide(const int* coefficients, int* quotient) {
    int carry = 0;
    for (int i = n - 1; i >= 0; --i) {
        carry = carry * 3 + coefficients[i]; // <-- cause
        quotient[i] = carry;
    }
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
    std::vector<int> in = numbers(n);
    int *coefficients, *quotient;
    cudaMalloc(&coefficients, n * sizeof(int));
    cudaMalloc(&quotient, n * sizeof(int));
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMemcpy(coefficients, in.data(), n * sizeof(int), cudaMemcpyHostToDevice); // <-- cause
    divide<<<1, 1, 0, stream>>>(coefficients, quotient);                          // <-- cause
    cudaStreamSynchronize(stream);
    std::vector<int> result(n);
    cudaMemcpy(result.data(), quotient, n * sizeof(int), cudaMemcpyDeviceToHost);
    int wrong = 0;
    unsigned carry = 0;
    for (int i = n - 1; i >= 0; --i) {
        carry = carry * 3 + in[i];
        wrong += unsigned(result[i]) != carry;
    }
    return verdict(wrong);
}
