// source: rmm#2156, allocate_sync of the asynchronous resource returns memory that other streams may not use yet
// cause: The memory is allocated in one stream and used in another one that is not ordered after the allocation.
// rule: stream-race|use-after-free
#include <cstdio>
#include <vector>

constexpr int n = 128;

__global__ void iota(int* data) {
    data[threadIdx.x] = threadIdx.x + 1; // <-- cause
}

int* to_device(const std::vector<int>& values) {
    int* p;
    cudaMalloc(&p, values.size() * sizeof(int));
    cudaMemcpy(p, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
    return p;
}

int verdict(int wrong) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}

// Memory from the pool, allocated in a stream of the pool's own.
struct Resource {
    cudaStream_t own;
    Resource() { cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking); }
    int* allocate(int count) {
        int* p;
        cudaMallocAsync(&p, count * sizeof(int), own); // <-- cause
        return p;
    }
};

int main() {
    Resource resource;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    int *data = resource.allocate(n), result[n];
    iota<<<1, n, 0, stream>>>(data); // <-- cause
    cudaMemcpyAsync(result, data, sizeof result, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    cudaFreeAsync(data, stream);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += result[i] != i + 1;
    return verdict(wrong);
}
