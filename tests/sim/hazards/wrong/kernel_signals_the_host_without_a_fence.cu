// The kernel raises a flag for the host, and no fence orders its result before the flag.
// says: The kernel has accesses by which it and the host may signal each other while it runs
#include <cstdio>

__global__ void answer(int* result, volatile int* ready) {
    *result = 42; // other
    *ready = 1;
}

int main() {
    int* shared;
    cudaMallocManaged(&shared, 2 * 4096);
    int* const ready = shared + 1024;
    *ready = 0;
    answer<<<1, 1>>>(shared, ready); // other
    while (*const_cast<volatile int*>(ready) == 0) {
    }
    std::printf("%d\n", *shared); // error: host-read-before-sync
    return cudaDeviceSynchronize();
}

/*
== clean/kernel_signals_the_host_behind_a_fence
The result is ordered before the flag, for the host as well.

     *result = 42;
+    __threadfence_system();
*/
