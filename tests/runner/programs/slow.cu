// Clean. Sleeps for that many microseconds: further schedules of a slow program are begun only if they are asked for.
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

__global__ void write(int* x) {
    x[threadIdx.x] = 1;
}

int main(int, char** arguments) {
    int* x;
    cudaMalloc(&x, 32 * sizeof(int));
    write<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    usleep(std::atoi(arguments[1]));
    std::puts("done");
}
