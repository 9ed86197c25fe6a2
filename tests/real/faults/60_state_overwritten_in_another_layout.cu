// source: TensorRT-LLM#17539, conv_state is read in one layout and overwritten in another without a barrier
// cause: A thread overwrites state in global memory that another thread of the block may still have to read.
// rule: write-after-read-race
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int features = 64, taps = 4;

// The causal convolution keeps the last inputs of each feature and shifts them by one.
__global__ void update(int* state, const int* in, int* out) {
    if (threadIdx.x < features) {
        int sum = in[threadIdx.x];
        for (int t = 0; t < taps; ++t)
            sum += (t + 2) * state[threadIdx.x * taps + t]; // <-- cause
        out[threadIdx.x] = sum;
    }
    const int feature = threadIdx.x / taps, tap = threadIdx.x % taps;
    const int moved = tap + 1 < taps ? state[threadIdx.x + 1] : in[feature]; // <-- cause
    state[threadIdx.x] = moved;                                              // <-- cause
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
    const std::vector<int> before = numbers(features * taps), in = numbers(features);
    int *state = to_device(before), *out = to_device(std::vector<int>(features));
    update<<<1, features * taps>>>(state, to_device(in), out);
    const std::vector<int> result = to_host(out, features), after = to_host(state, features * taps);
    int wrong = 0;
    for (int f = 0; f < features; ++f) {
        int sum = in[f];
        for (int t = 0; t < taps; ++t) {
            sum += (t + 2) * before[f * taps + t];
            wrong += after[f * taps + t] != (t + 1 < taps ? before[f * taps + t + 1] : in[f]);
        }
        wrong += result[f] != sum;
    }
    return verdict(wrong);
}
