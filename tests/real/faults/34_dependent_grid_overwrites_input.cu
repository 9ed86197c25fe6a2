// source: cccl#3131, dependent launches in merge sort: a later kernel may write the buffer that an earlier one still
//     reads
// cause: The dependent kernel overwrites the first one's input without griddepcontrol.wait, while the first one may
//     still read it.
// rule: missing-dependency-wait
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int n = 512, threads = 128;

__global__ void rotate(const int* a, int* b) {
    asm volatile("griddepcontrol.launch_dependents;");
    const int i = blockIdx.x * threads + threadIdx.x;
    b[i] = a[(i + 1) % n]; // <-- cause
}

__global__ void clear(int* a) {
    a[blockIdx.x * threads + threadIdx.x] = 0; // <-- cause
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
    int *a = to_device(in), *b = to_device(std::vector<int>(n));
    rotate<<<n / threads, threads>>>(a, b);
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = n / threads;
    config.blockDim = threads;
    config.attrs = &early;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, clear, a);
    const std::vector<int> rotated = to_host(b, n), cleared = to_host(a, n);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += rotated[i] != in[(i + 1) % n] || cleared[i] != 0;
    return verdict(wrong);
}
