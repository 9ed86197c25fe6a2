// source: lorax#156, each block of a cooperative kernel calls grid.sync() as often as its own segment has steps
// cause: The blocks call grid.sync() different numbers of times, so those with more steps wait for blocks that have
//     left.
// rule: deadlock
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

constexpr int threads = 64, blocks = 3;

__global__ void shrink(const int* steps, int* sums) {
    const cg::grid_group grid = cg::this_grid();
    for (int step = 0; step < steps[blockIdx.x]; ++step) {
        atomicAdd(&sums[(step + threadIdx.x) % threads], 1);
        grid.sync(); // <-- cause
    }
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
    const std::vector<int> lengths = {2, 4, 3};
    int *steps = to_device(lengths), *sums = to_device(std::vector<int>(threads));
    void* arguments[] = {&steps, &sums};
    cudaLaunchCooperativeKernel(shrink, dim3(blocks), dim3(threads), arguments);
    int wrong = 0;
    for (const int value : to_host(sums, threads))
        wrong += value != 9;
    return verdict(wrong);
}
