// source: CUDA C++ Programming Guide, "Early Exit": a thread that leaves a sequence of synchronisations must drop out
//     of the barrier
// cause: Threads that have finished leave the loop, but the barrier still expects their arrivals in the next phase.
// rule: deadlock|divergent-barrier
#include <cstdio>
#include <cuda/barrier>
#include <vector>

constexpr int threads = 64;

using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void relax(const int* steps, int* state) {
    __shared__ barrier round;
    if (threadIdx.x == 0)
        init(&round, threads);
    __syncthreads();
    int value = 0;
    for (int s = 0; s < steps[threadIdx.x]; ++s) {
        value += s + 1;
        round.arrive_and_wait(); // <-- cause
    }
    state[threadIdx.x] = value; // <-- cause
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
    std::vector<int> steps(threads);
    for (int i = 0; i < threads; ++i)
        steps[i] = 1 + i / 32;
    int *state = to_device(steps), wrong = 0;
    relax<<<1, threads>>>(to_device(steps), state);
    const std::vector<int> result = to_host(state, threads);
    for (int i = 0; i < threads; ++i)
        wrong += result[i] != steps[i] * (steps[i] + 1) / 2;
    return verdict(wrong);
}
