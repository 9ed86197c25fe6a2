// source: DeepJIT#15, each launch sets the function's limit to its own size, so a small launch lowers it under a large
//     one
// cause: The limit of dynamic shared memory belongs to the function and was lowered by the smaller request, so the
//     larger launch fails.
// rule: failed-call
#include <cstdio>
#include <vector>

constexpr int threads = 64;

__global__ void touch(int* out, int words) {
    extern __shared__ int scratch_words[];
    for (int i = threadIdx.x; i < words; i += threads)
        scratch_words[i] = i;
    __syncthreads();
    out[threadIdx.x] = scratch_words[words - 1 - threadIdx.x];
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

struct Kernel {
    int words;
    void prepare() const {
        cudaFuncSetAttribute(touch, cudaFuncAttributeMaxDynamicSharedMemorySize, words * int(sizeof(int)));
    }
    void launch(int* out) const {
        touch<<<1, threads, words * sizeof(int)>>>(out, words); // <-- cause
    }
};

int main() {
    int *large = to_device(std::vector<int>(threads)), *small = to_device(std::vector<int>(threads));
    const Kernel of_large{20000}, of_small{64};
    of_large.prepare();
    of_small.prepare();
    of_large.launch(large); // <-- cause
    of_small.launch(small);
    const std::vector<int> a = to_host(large, threads), b = to_host(small, threads);
    int wrong = 0;
    for (int i = 0; i < threads; ++i)
        wrong += (a[i] != 19999 - i) + (b[i] != 63 - i);
    return verdict(wrong);
}
