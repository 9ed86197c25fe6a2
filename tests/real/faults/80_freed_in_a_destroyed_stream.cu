// source: cupy#4537, memory is freed in the stream that it was allocated in after that stream has been destroyed
// cause: The stream is destroyed before cudaFreeAsync names it, so the memory is not freed.
// rule: failed-call
#include <cstdio>
#include <vector>

constexpr int n = 64;

__global__ void ones(int* p) {
    p[threadIdx.x] = 1;
}

int verdict(int wrong) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}

struct Block {
    int* data;
    cudaStream_t stream;
    void release() { cudaFreeAsync(data, stream); } // <-- cause
};

int main() {
    Block block;
    cudaStreamCreate(&block.stream);
    cudaMallocAsync(&block.data, n * sizeof(int), block.stream);
    ones<<<1, n, 0, block.stream>>>(block.data);
    int result[n];
    cudaMemcpyAsync(result, block.data, sizeof result, cudaMemcpyDeviceToHost, block.stream);
    cudaStreamSynchronize(block.stream);
    cudaStreamDestroy(block.stream);
    block.release(); // <-- cause
    int wrong = 0;
    for (const int value : result)
        wrong += value != 1;
    return verdict(wrong);
}
