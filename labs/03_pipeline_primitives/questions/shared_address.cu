#include <cstdio>

__global__ void addresses() {
    __shared__ double tile[16];
    tile[threadIdx.x] = threadIdx.x;
    const unsigned first = static_cast<unsigned>(__cvta_generic_to_shared(&tile[0]));
    const unsigned other = static_cast<unsigned>(__cvta_generic_to_shared(&tile[INDEX]));
    if (threadIdx.x == 0)
        printf("answer: %u\n", other - first);
}

int main() {
    addresses<<<1, 16>>>();
    cudaDeviceSynchronize();
}
