// source: sglang#14214, a stream waits for an event that another stream records later
// cause: The wait is enqueued before the event has been recorded, so it waits for nothing.
// rule: stream-race
#include <cstdio>
#include <vector>

constexpr int n = 96;

__global__ void produce(int* data) {
    data[threadIdx.x] = 7 * threadIdx.x; // <-- cause
}

__global__ void consume(const int* data, int* out) {
    out[threadIdx.x] = data[n - 1 - threadIdx.x] + 1; // <-- cause
}

int* to_device(const std::vector<int>& values) {
    int* p;
    cudaMalloc(&p, values.size() * sizeof(int));
    cudaMemcpy(p, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
    return p;
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
    int *data = to_device(std::vector<int>(n)), *out = to_device(std::vector<int>(n));
    cudaStream_t a, b;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEvent_t ready;
    cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
    cudaStreamWaitEvent(b, ready, 0);   // <-- cause
    produce<<<1, n, 0, a>>>(data);      // <-- cause
    cudaEventRecord(ready, a);          // <-- cause
    consume<<<1, n, 0, b>>>(data, out); // <-- cause
    cudaStreamSynchronize(a);
    cudaStreamSynchronize(b);
    const std::vector<int> result = to_host(out, n);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += result[i] != 7 * (n - 1 - i) + 1;
    return verdict(wrong);
}
