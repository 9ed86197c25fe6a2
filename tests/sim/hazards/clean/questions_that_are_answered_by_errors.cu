// Calls that return errors as answers, and what is usually asked. None of it is a mistake.
#include <cstdio>
#include <cstdlib>

__global__ void slow(int* data) {
    data[threadIdx.x] = 1;
}

int main() {
    int *data, *pinned;
    cudaMalloc(&data, 128);
    cudaMallocHost(&pinned, 128);
    cudaStream_t stream;
    cudaEvent_t event;
    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    slow<<<1, 32, 0, stream>>>(data);
    cudaEventRecord(event, stream);
    while (cudaStreamQuery(stream) == cudaErrorNotReady) {
    }
    cudaEventQuery(event);
    cudaPointerAttributes about;
    cudaPointerGetAttributes(&about, &about);
    cudaGetLastError();
    cudaHostRegister(pinned, 128, cudaHostRegisterDefault);
    cudaGetLastError();
    unsigned flags;
    if (cudaHostGetFlags(&flags, data) != cudaSuccess)
        std::puts("no host memory");
    return cudaDeviceSynchronize();
}
