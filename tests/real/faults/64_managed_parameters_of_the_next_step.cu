// source: tiledarray#147, tasks on tiles in unified memory end before the GPU has finished with the tiles
// cause: The host writes the next step's parameters to managed memory while the kernel of this step may still read
//     them.
// rule: host-write-before-sync
#include <cstdio>
#include <vector>

constexpr int n = 256, steps = 3;

struct Step {
    int factor, shift;
};

__global__ void advance(const Step* step, int* state) {
    state[threadIdx.x] = state[threadIdx.x] * step->factor + step->shift; // <-- cause
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
    Step* step;
    cudaMallocManaged(&step, sizeof *step);
    int* state = to_device(std::vector<int>(n, 1));
    int expected = 1;
    for (int s = 0; s < steps; ++s) {
        *step = {s + 2, 10 * s};        // <-- cause
        advance<<<1, n>>>(step, state); // <-- cause
        expected = expected * (s + 2) + 10 * s;
    }
    const std::vector<int> result = to_host(state, n);
    int wrong = 0;
    for (const int value : result)
        wrong += value != expected;
    return verdict(wrong);
}
