// Two calls on neighbouring lines, unrolled: each read's report names the call that copies its bytes.
// says: The next wait comes only after this access.
#include <cuda/pipeline>

__device__ alignas(16) int in[2][4][64], out[2][4][64];

__global__ void copy() {
    __shared__ alignas(16) int a[4][64], b[4][64];
    const int i = threadIdx.x;
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
#pragma unroll 4
    for (int k = 0; k < 4; ++k) {
        cuda::memcpy_async(&a[k][i], &in[0][k][i], sizeof(int), pipe); // other 1
        cuda::memcpy_async(&b[k][i], &in[1][k][i], sizeof(int), pipe); // other 2
    }
    pipe.producer_commit();
#pragma unroll 4
    for (int k = 0; k < 4; ++k) {
        out[0][k][i] = a[k][i]; // error 1: missing-wait
        out[1][k][i] = b[k][i]; // error 2: missing-wait
    }
    pipe.consumer_wait(); // other 1, other 2
    pipe.consumer_release();
}

int main() {
    copy<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
