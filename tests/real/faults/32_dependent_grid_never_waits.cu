// source: cutlass#2760, grouped GEMM kernels are launched dependently (PDL) but never call wait_on_dependent_grids
// cause: The second kernel may start before the first has finished, and it reads the first one's result without
//     griddepcontrol.wait.
// rule: missing-dependency-wait
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int n = 1024, threads = 256;

__global__ void produce(const int* in, int* between) {
    asm volatile("griddepcontrol.launch_dependents;");
    const int i = blockIdx.x * threads + threadIdx.x;
    between[i] = 2 * in[i];
}

__global__ void consume(const int* between, int* out) {
    const int i = blockIdx.x * threads + threadIdx.x;
    out[i] = between[n - 1 - i] + 1; // <-- cause
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
    const std::vector<int> in = numbers(n);
    int *between = to_device(std::vector<int>(n)), *out = to_device(std::vector<int>(n));
    produce<<<n / threads, threads>>>(to_device(in), between);
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = n / threads;
    config.blockDim = threads;
    config.attrs = &early;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, consume, static_cast<const int*>(between), out);
    const std::vector<int> result = to_host(out, n);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += result[i] != 2 * in[n - 1 - i] + 1;
    return verdict(wrong);
}
