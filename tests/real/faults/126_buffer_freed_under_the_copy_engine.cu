// source: realm#448, memory of a task is freed although kernels in the task's stream still use it
// cause: The memory of the pool is freed in the legacy stream, which does not wait for the task's non-blocking stream.
// rule: free-while-in-use|use-after-free|stream-race
#include <cstdio>
#include <vector>

constexpr int n = 128;

__global__ void scale(const float* in, float* out, float factor) {
    out[threadIdx.x] = factor * in[threadIdx.x]; // <-- cause
}

int verdict(int wrong) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}

int main() {
    float host[n], result[n], *in, *out;
    for (int i = 0; i < n; ++i)
        host[i] = i;
    cudaStream_t task;
    cudaStreamCreateWithFlags(&task, cudaStreamNonBlocking);
    cudaMallocAsync(&in, sizeof host, task);
    cudaMallocAsync(&out, sizeof host, task);
    cudaMemcpyAsync(in, host, sizeof host, cudaMemcpyHostToDevice, task);
    scale<<<1, n, 0, task>>>(in, out, 4); // <-- cause
    cudaFreeAsync(in, cudaStreamLegacy);  // <-- cause
    cudaMemcpyAsync(result, out, sizeof result, cudaMemcpyDeviceToHost, task);
    cudaStreamSynchronize(task);
    cudaFreeAsync(out, task);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += result[i] != 4 * host[i];
    return verdict(wrong);
}
