// source: intel/llvm#21602, cuMemcpy is synchronous for the host, but does not wait for operations in other streams
// cause: The fill is in a non-blocking stream, for which the copy in the default stream does not wait.
// rule: stream-race
#include <cstdio>
#include <vector>

constexpr int n = 256;

int verdict(int wrong) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}

int main() {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    unsigned char *device, *other, result[n];
    cudaMalloc(&device, n);
    cudaMalloc(&other, n);
    cudaMemset(device, 0, n);
    cudaDeviceSynchronize();
    cudaMemsetAsync(device, 42, n, stream);                 // <-- cause
    cudaMemcpy(other, device, n, cudaMemcpyDeviceToDevice); // <-- cause
    cudaDeviceSynchronize();
    cudaMemcpy(result, other, n, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (const unsigned char value : result)
        wrong += value != 42;
    return verdict(wrong);
}
