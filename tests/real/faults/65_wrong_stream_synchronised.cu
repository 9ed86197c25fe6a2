// source: cudf#2755, a value is copied to the host asynchronously and returned before anybody has waited for its stream
// cause: The host waits for the default stream, but the copy to the pinned value is in a non-blocking stream.
// rule: host-read-before-sync
#include <cstdio>
#include <vector>

constexpr int n = 128;

__global__ void largest(const int* in, int* out) {
    int best = in[0];
    for (int i = 1; i < n; ++i)
        best = max(best, in[i]);
    *out = best;
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
    int *device = to_device(in), *out = to_device({0}), *answer;
    cudaHostAlloc(&answer, sizeof *answer, cudaHostAllocDefault);
    *answer = -1;
    cudaStream_t worker;
    cudaStreamCreateWithFlags(&worker, cudaStreamNonBlocking);
    largest<<<1, 1, 0, worker>>>(device, out);
    cudaMemcpyAsync(answer, out, sizeof *answer, cudaMemcpyDeviceToHost, worker); // <-- cause
    cudaStreamSynchronize(nullptr);
    const int got = *answer; // <-- cause
    int expected = in[0];
    for (const int value : in)
        expected = value > expected ? value : expected;
    return verdict(got != expected);
}
