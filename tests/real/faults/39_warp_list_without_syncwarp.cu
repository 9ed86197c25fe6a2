// source: llama.cpp#28475 (ik_llama.cpp#2502), mmq_ids_helper reads back a shared array that its warp has just
//     written
// cause: The lanes read entries of the list that other lanes have written and nothing orders them: a __syncwarp is
//     missing.
// rule: read-after-write-race
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int tokens = 256;

// One warp collects the tokens of expert 1 in order, then writes them out.
__global__ void collect(const int* experts, int* out, int* count) {
    __shared__ int store[tokens];
    const int lane = threadIdx.x;
    int found = 0;
    for (int t = lane; t < tokens; t += 32) {
        const bool mine = experts[t] == 1;
        const unsigned lanes = __ballot_sync(~0u, mine);
        if (mine)
            store[found + __popc(lanes & ((1u << lane) - 1))] = t; // <-- cause
        found += __popc(lanes);
    }
    for (int i = lane; i < found; i += 32)
        out[i] = store[i]; // <-- cause
    if (lane == 0)
        *count = found;
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
    std::vector<int> experts = numbers(tokens), expected;
    for (int t = 0; t < tokens; ++t) {
        experts[t] %= 3;
        if (experts[t] == 1)
            expected.push_back(t);
    }
    int *out = to_device(std::vector<int>(tokens)), *count = to_device({0});
    collect<<<1, 32>>>(to_device(experts), out, count);
    const std::vector<int> result = to_host(out, tokens);
    int wrong = to_host(count, 1)[0] != int(expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
        wrong += result[i] != expected[i];
    return verdict(wrong);
}
