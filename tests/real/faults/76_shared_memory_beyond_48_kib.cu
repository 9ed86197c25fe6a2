// source: punica#20, the kernel is not launched because more than 48 KiB of shared memory need cudaFuncSetAttribute
// cause: The launch asks for 64 KiB of dynamic shared memory, and the function's limit was not raised, so it fails.
// rule: failed-call
#include <cstdio>
#include <vector>

constexpr int threads = 256, items = 16384;

__global__ void shrink(const int* in, int* out) {
    extern __shared__ int staged_rows[];
    for (int i = threadIdx.x; i < items; i += threads)
        staged_rows[i] = in[i];
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < items / threads; ++i)
        sum += staged_rows[threadIdx.x * (items / threads) + i];
    out[threadIdx.x] = sum;
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
    const std::vector<int> in = numbers(items);
    int *device = to_device(in), *out = to_device(std::vector<int>(threads));
    const int bytes = items * sizeof(int);
    shrink<<<1, threads, bytes>>>(device, out); // <-- cause
    const std::vector<int> result = to_host(out, threads);
    int wrong = 0;
    for (int t = 0; t < threads; ++t) {
        int sum = 0;
        for (int i = 0; i < items / threads; ++i)
            sum += in[t * (items / threads) + i];
        wrong += result[t] != sum;
    }
    return verdict(wrong);
}
