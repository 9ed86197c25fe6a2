#include <cuda/pipeline>

__global__ void shift(const int* in, int* out) {
    __shared__ int tile[64];
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&tile[threadIdx.x], in + threadIdx.x, cuda::aligned_size_t<4>(4), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    out[threadIdx.x] = tile[(threadIdx.x + 1) % 64];
    pipe.consumer_release();
}

int main() {
    int* memory;
    cudaMalloc(&memory, 128 * sizeof(int));
    cudaMemset(memory, 0, 128 * sizeof(int));
    shift<<<1, 64>>>(memory, memory + 64);
    cudaDeviceSynchronize();
}
