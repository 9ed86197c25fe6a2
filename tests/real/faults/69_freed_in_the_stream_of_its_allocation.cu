// source: cuda-oxide#619, a buffer's destructor frees it in the stream of its allocation although its last use is in
//     another one
// cause: The memory is freed in the first stream, which does not wait for the kernel in the second stream that still
//     reads it.
// rule: free-while-in-use|use-after-free|stream-race
#include <cstdio>
#include <vector>

constexpr int n = 256;

__global__ void fill(int* data) {
    data[threadIdx.x] = 3 * threadIdx.x;
}

__global__ void reverse(const int* data, int* out) {
    out[threadIdx.x] = data[n - 1 - threadIdx.x]; // <-- cause
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
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEvent_t filled, read;
    cudaEventCreateWithFlags(&filled, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&read, cudaEventDisableTiming);
    int *data, *out;
    cudaMalloc(&out, n * sizeof(int));
    cudaMallocAsync(&data, n * sizeof(int), first);
    fill<<<1, n, 0, first>>>(data);
    cudaEventRecord(filled, first);
    cudaStreamWaitEvent(second, filled, 0);
    reverse<<<1, n, 0, second>>>(data, out); // <-- cause
    cudaEventRecord(read, second);
    cudaFreeAsync(data, first); // <-- cause
    cudaStreamSynchronize(second);
    const std::vector<int> result = to_host(out, n);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += result[i] != 3 * (n - 1 - i);
    return verdict(wrong);
}
