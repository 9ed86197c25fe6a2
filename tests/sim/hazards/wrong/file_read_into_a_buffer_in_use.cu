// The operating system writes a buffer for the program while a copy and a kernel still read it.
#include <cstdio>
#include <fstream>

__global__ void add(int* sums, const int* samples) {
    sums[threadIdx.x] += samples[threadIdx.x]; // other 1
}

int main() {
    int *sums, *first, *second;
    cudaMalloc(&sums, 4096);
    cudaMallocHost(&first, 4096);
    cudaMallocManaged(&second, 2 * 4096);
    for (int i = 0; i < 1024; ++i)
        first[i] = second[i] = i;
    std::ifstream text("/proc/self/exe", std::ios::binary);
    FILE* const file = std::fopen("/proc/self/exe", "rb");
    cudaMemcpyAsync(sums, first, 4096, cudaMemcpyHostToDevice); // other 2
    text.read(reinterpret_cast<char*>(first), 4096);            // error 2: host-write-before-sync
    add<<<1, 256>>>(sums, second);                              // other 1
    const size_t got = std::fread(second, 4, 1024, file);       // error 1: host-write-before-sync
    std::fclose(file);
    return cudaDeviceSynchronize() || got != 1024 || text.gcount() != 4096;
}

/*
== clean/file_read_into_a_buffer_that_is_free
The host waits for the copy, and reads into a part of the memory that the kernel does not use.

     cudaMemcpyAsync(sums, first, 4096, cudaMemcpyHostToDevice);
+    cudaStreamSynchronize(nullptr);

-    const size_t got = std::fread(second, 4, 1024, file);
+    const size_t got = std::fread(second + 1024, 4, 1024, file);
*/
