// The wait has no "memory" clobber, so the compiler may load before it.
#include <cuda_pipeline_primitives.h>

__device__ int in[64], out[64];

__global__ void twice() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    tile[i] = 0;
    const int* mine = &tile[i];
    __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int)); // other
    __pipeline_commit();
    const int early = *mine; // error: missing-wait
    asm volatile("cp.async.wait_group 0;"); // other
    out[i] = 2 * early;
}

int main() {
    twice<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
