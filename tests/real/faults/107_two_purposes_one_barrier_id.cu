// source: tilelang#605 (review), two barriers of a warp-specialised kernel are given the same number
// cause: Two pairs of warps use the same named barrier for different purposes, so it counts arrivals of both together.
// rule: read-after-write-race|named-barrier|deadlock|barrier-overflow|write-after-read-race
#include <cstdio>
#include <vector>

constexpr int threads = 128;
constexpr int keys_ready = 7, scores_ready = 7;

__device__ void meet(int id) {
    asm volatile("barrier.sync %0, 64;" ::"r"(id) : "memory"); // <-- cause
}

// Warps 0 and 1 exchange keys, warps 2 and 3 exchange scores.
__global__ void exchange(const int* in, int* out) {
    __shared__ int keys[64], scores[64];
    const int t = threadIdx.x;
    for (int round = 0; round < 4; ++round) {
        const int value = in[round * threads + t];
        if (t < 64) {
            keys[t] = value;                         // <-- cause
            meet(keys_ready);                        // <-- cause
            out[round * threads + t] = keys[63 - t]; // <-- cause
            meet(keys_ready);                        // <-- cause
        } else {
            scores[t - 64] = -value;                    // <-- cause
            meet(scores_ready);                         // <-- cause
            out[round * threads + t] = scores[127 - t]; // <-- cause
            meet(scores_ready);                         // <-- cause
        }
    }
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
    const std::vector<int> in = numbers(4 * threads);
    int* out = to_device(in);
    exchange<<<1, threads>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, 4 * threads);
    int wrong = 0;
    for (int i = 0; i < 4 * threads; ++i) {
        const int t = i % threads, other = i - t + (t < 64 ? 63 - t : 191 - t);
        wrong += result[i] != (t < 64 ? in[other] : -in[other]);
    }
    return verdict(wrong);
}
