// Clean, and so slow that further schedules are not begun unless they are asked for.
#include <cstdio>
#include <unistd.h>

__global__ void write(int* x) {
    x[threadIdx.x] = 1;
}

int main() {
    int* x;
    cudaMalloc(&x, 32 * sizeof(int));
    write<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    usleep(SLEEP);
    std::puts("done");
}
