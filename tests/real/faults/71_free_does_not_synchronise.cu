// source: kokkos#9307, cudaFree is taken for a synchronisation, which it is not for memory of cudaMallocAsync
// cause: cudaFree of memory from cudaMallocAsync does not wait for the kernel that still uses it.
// rule: free-while-in-use|use-after-free|stream-race
#include <cstdio>
#include <vector>

constexpr int n = 192;

__global__ void smooth(const int* in, int* out) {
    const int i = threadIdx.x;
    out[i] = (in[i ? i - 1 : 0] + in[i] + in[i < n - 1 ? i + 1 : i]) / 3; // <-- cause
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
    const std::vector<int> values = numbers(n);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    int *in, *out, result[n];
    cudaMallocAsync(&in, n * sizeof(int), stream);
    cudaMallocAsync(&out, n * sizeof(int), stream);
    cudaMemcpyAsync(in, values.data(), n * sizeof(int), cudaMemcpyHostToDevice, stream);
    smooth<<<1, n, 0, stream>>>(in, out); // <-- cause
    cudaFree(in);                         // <-- cause
    cudaMemcpyAsync(result, out, sizeof result, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    cudaFreeAsync(out, stream);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += result[i] != (values[i ? i - 1 : 0] + values[i] + values[i < n - 1 ? i + 1 : i]) / 3;
    return verdict(wrong);
}
