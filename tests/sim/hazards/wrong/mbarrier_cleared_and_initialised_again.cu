// Storing 0 to an mbarrier does not end it.
#include <cuda_awbarrier_primitives.h>

__device__ int in[2][64], out[2][64];

__global__ void reverse_rows() {
    __shared__ int row[64];
    __shared__ __mbarrier_t barrier;
    const int i = threadIdx.x;
    for (int r = 0; r < 2; ++r) {
        if (i == 0) {
            *reinterpret_cast<volatile unsigned long long*>(&barrier) = 0;
            __mbarrier_init(&barrier, 64); // error: barrier-reinitialised
        }
        __syncthreads();
        row[i] = in[r][i];
        const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
        while (!__mbarrier_test_wait(&barrier, token)) {
        }
        out[r][i] = row[63 - i];
        __syncthreads();
    }
}

int main() {
    reverse_rows<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
