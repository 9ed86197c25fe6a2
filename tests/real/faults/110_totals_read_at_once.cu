// source: HeCBench#254, one thread writes the block's offset to shared memory and all threads read it with no barrier
//     in between
// cause: Thread 0 writes the block's offset to shared memory, and the other threads read it without a barrier.
// rule: read-after-write-race
#include <cstdio>
#include <vector>

constexpr int threads = 128;

__global__ void triangles(const int* count, int* cursor, int* first) {
    __shared__ int sums[threads / 32 + 1];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int x = count[blockIdx.x * threads + t];
    const int mine = x;
    for (int step = 1; step < 32; step *= 2) {
        const int y = __shfl_up_sync(~0u, x, step);
        x += lane >= step ? y : 0;
    }
    if (lane == 31)
        sums[warp] = x;
    __syncthreads();
    int before = 0, total = 0;
    for (int w = 0; w < threads / 32; ++w) {
        before += w < warp ? sums[w] : 0;
        total += sums[w];
    }
    if (t == 0)
        sums[threads / 32] = atomicAdd(cursor, total);                        // <-- cause
    first[blockIdx.x * threads + t] = sums[threads / 32] + before + x - mine; // <-- cause
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
    std::vector<int> count(threads);
    for (int i = 0; i < threads; ++i)
        count[i] = i % 4;
    int* first = to_device(count);
    triangles<<<1, threads>>>(to_device(count), to_device({1000}), first);
    const std::vector<int> result = to_host(first, threads);
    int wrong = 0, sum = 1000;
    for (int i = 0; i < threads; sum += count[i++])
        wrong += result[i] != sum;
    return verdict(wrong);
}
