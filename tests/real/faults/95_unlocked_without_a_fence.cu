// source: CUDA by Example, errata of its lock (Alglave et al., GPU Concurrency, 2015), no fence before the unlocking
// cause: The lock is released without a fence, so the next owner may not see what was written while it was held.
// rule: read-after-write-race|write-after-read-race|write-after-write-race
#include <cstdio>
#include <vector>

constexpr int threads = 64, blocks = 6;

struct Lock {
    int* mutex;
    __device__ void lock() {
        while (atomicCAS(mutex, 0, 1) != 0) {
        }
        __threadfence();
    }
    __device__ void unlock() { atomicExch(mutex, 0); } // <-- cause
};

__global__ void dot(const int* a, const int* b, Lock lock, int* sum) {
    __shared__ int part[threads];
    const int t = threadIdx.x, i = blockIdx.x * threads + t;
    part[t] = a[i] * b[i];
    __syncthreads();
    for (int step = threads / 2; step > 0; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        __syncthreads();
    }
    if (t == 0) {
        lock.lock();
        *sum += part[0]; // <-- cause
        lock.unlock();   // <-- cause
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
    const std::vector<int> a = numbers(blocks * threads), b(blocks * threads, 2);
    int* sum = to_device({0});
    dot<<<blocks, threads>>>(to_device(a), to_device(b), Lock{to_device({0})}, sum);
    int expected = 0;
    for (const int value : a)
        expected += 2 * value;
    return verdict(to_host(sum, 1)[0] != expected);
}
