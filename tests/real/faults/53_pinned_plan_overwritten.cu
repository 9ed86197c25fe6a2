// source: mini-sglang#103, a second plan() overwrites the pinned buffer whose cudaMemcpyAsync has not run yet
// cause: The host fills the pinned buffer for the next batch while the asynchronous copy of the previous batch may
//     still read it.
// rule: host-write-before-sync
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int size = 256, batches = 3;

__global__ void run_plan(const int* plan, int* out) {
    out[threadIdx.x] = 2 * plan[threadIdx.x];
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
    int *pinned, *plan = to_device(std::vector<int>(size)), *out = to_device(std::vector<int>(batches * size));
    cudaMallocHost(&pinned, size * sizeof(int));
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (int b = 0; b < batches; ++b) {
        for (int i = 0; i < size; ++i)
            pinned[i] = b * 1000 + i;                                                      // <-- cause
        cudaMemcpyAsync(plan, pinned, size * sizeof(int), cudaMemcpyHostToDevice, stream); // <-- cause
        run_plan<<<1, size, 0, stream>>>(plan, out + b * size);
    }
    cudaStreamSynchronize(stream);
    const std::vector<int> result = to_host(out, batches * size);
    int wrong = 0;
    for (int i = 0; i < batches * size; ++i)
        wrong += result[i] != 2 * (i / size * 1000 + i % size);
    return verdict(wrong);
}
