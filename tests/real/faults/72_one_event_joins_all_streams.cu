// source: cutorch#222, one event is recorded in every stream of a list and then waited for once
// cause: The event is recorded again in each stream, so the wait covers the last stream only.
// rule: stream-race
#include <cstdio>
#include <vector>

constexpr int n = 64, workers = 3;

__global__ void part(const int* in, int* out, int worker) {
    out[worker * n + threadIdx.x] = in[threadIdx.x] + worker; // <-- cause
}

__global__ void total(const int* parts, int* out) {
    int sum = 0;
    for (int w = 0; w < workers; ++w)
        sum += parts[w * n + threadIdx.x]; // <-- cause
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

int verdict(int wrong) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}

int main() {
    const std::vector<int> in = numbers(n);
    int *device = to_device(in), *parts = to_device(std::vector<int>(workers * n)),
        *out = to_device(std::vector<int>(n));
    cudaStream_t stream[workers], last;
    cudaEvent_t done[workers];
    cudaStreamCreateWithFlags(&last, cudaStreamNonBlocking);
    for (int w = 0; w < workers; ++w) {
        cudaStreamCreateWithFlags(&stream[w], cudaStreamNonBlocking);
        cudaEventCreate(&done[w]);
        part<<<1, n, 0, stream[w]>>>(device, parts, w); // <-- cause
    }
    for (int w = 0; w < workers; ++w)
        cudaEventRecord(done[0], stream[w]); // <-- cause
    cudaStreamWaitEvent(last, done[0]);
    total<<<1, n, 0, last>>>(parts, out); // <-- cause
    int result[n];
    cudaMemcpyAsync(result, out, sizeof result, cudaMemcpyDeviceToHost, last);
    cudaStreamSynchronize(last);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += result[i] != workers * in[i] + 3;
    return verdict(wrong);
}
