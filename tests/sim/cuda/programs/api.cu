// An ordinary program: every call does what the manual says.
// any-finding: errors() looks at each error, so these are warnings
#include <cstring>
#include <vector>

#include "check.h"

__device__ int variable = 3;
__constant__ int table[4];

__global__ void scale(int* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = data[i] * variable + table[i % 4];
}

__global__ void __launch_bounds__(128) bounded(int* data) {
    extern __shared__ int shared[];
    shared[threadIdx.x] = threadIdx.x;
    __syncthreads();
    data[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

static void memory() {
    std::vector<int> host(1000);
    for (int i = 0; i < 1000; ++i)
        host[i] = i;
    int* device;
    OK(cudaMalloc(&device, 4000));
    OK(cudaMemcpy(device, host.data(), 4000, cudaMemcpyHostToDevice));
    const int values[4] = {10, 20, 30, 40};
    OK(cudaMemcpyToSymbol(table, values, sizeof values));
    scale<<<8, 128>>>(device, 1000);
    OK(cudaGetLastError());
    OK(cudaMemcpy(host.data(), device, 4000, cudaMemcpyDefault));
    for (int i = 0; i < 1000; ++i)
        CHECK(host[i] == 3 * i + values[i % 4]);

    int got = 0;
    OK(cudaMemcpyFromSymbol(&got, variable, 4));
    CHECK(got == 3);
    void* address;
    size_t bytes;
    OK(cudaGetSymbolAddress(&address, table));
    OK(cudaGetSymbolSize(&bytes, table));
    CHECK(bytes == 16);

    OK(cudaMemset(device, 0xFF, 4000));
    OK(cudaMemcpy(host.data(), device, 4000, cudaMemcpyDeviceToHost));
    CHECK(host[999] == -1);

    char *plane, rows[3][10], back[3][10];
    size_t pitch;
    OK(cudaMallocPitch(&plane, &pitch, 10, 3));
    CHECK(pitch >= 10 && pitch % 256 == 0);
    std::memset(rows, 'r', sizeof rows);
    rows[2][9] = 'z';
    OK(cudaMemcpy2D(plane, pitch, rows, 10, 10, 3, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(back, 10, plane, pitch, 10, 3, cudaMemcpyDeviceToHost));
    CHECK(std::memcmp(rows, back, sizeof rows) == 0);
    OK(cudaFree(plane));

    cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, device + 5));
    CHECK(attributes.type == cudaMemoryTypeDevice);
    OK(cudaPointerGetAttributes(&attributes, host.data()));
    CHECK(attributes.type == cudaMemoryTypeUnregistered);
    size_t free, total;
    OK(cudaMemGetInfo(&free, &total));
    CHECK(free < total);
    OK(cudaFree(device));
    OK(cudaFree(nullptr));
}

static void pinned() {
    int* host;
    OK(cudaMallocHost(&host, 4096));
    for (int i = 0; i < 1024; ++i)
        host[i] = 1;
    scale<<<8, 128>>>(host, 1024); // mapped: the kernel reaches it where it is
    OK(cudaDeviceSynchronize());
    CHECK(host[1] == 23);
    OK(cudaFreeHost(host));

    std::vector<int> own(50000, 1);
    OK(cudaHostRegister(own.data(), own.size() * 4, cudaHostRegisterDefault));
    int* mapped;
    OK(cudaHostGetDevicePointer(&mapped, own.data(), 0));
    scale<<<400, 128>>>(mapped, 50000);
    OK(cudaStreamSynchronize(nullptr));
    CHECK(own[49999] == 43);
    OK(cudaHostUnregister(own.data()));
    CHECK(own[49998] == 33);

    int* managed;
    OK(cudaMallocManaged(&managed, 16));
    managed[0] = 5;
    scale<<<1, 1>>>(managed, 1);
    OK(cudaDeviceSynchronize());
    CHECK(managed[0] == 25);
    OK(cudaFree(managed));
}

static void errors() {
    int* device;
    OK(cudaMalloc(&device, 4096));
    bounded<<<1, 256, 1024>>>(device);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue); // __launch_bounds__(128)
    bounded<<<1, 2048>>>(device);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    OK(cudaGetLastError());
    bounded<<<1, 64, 100000>>>(device);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(bounded, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    bounded<<<1, 64, 100000>>>(device);
    OK(cudaDeviceSynchronize());
    CHECK(cudaMalloc(&device, size_t{1} << 50) == cudaErrorMemoryAllocation);
    CHECK(cudaMemcpy(device, device, 4097, cudaMemcpyHostToHost) == cudaErrorInvalidValue);
    CHECK(cudaFree(device + 1) == cudaErrorInvalidValue);
    CHECK(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(device)) == cudaErrorInvalidResourceHandle);
    CHECK(cudaSetDevice(1) == cudaErrorInvalidDevice);
    CHECK(cudaEventQuery(nullptr) == cudaErrorInvalidResourceHandle);
    CHECK(std::strcmp(cudaGetErrorName(cudaErrorNotReady), "cudaErrorNotReady") == 0);
    cudaGetLastError();
}

static void device() {
    int count, number;
    OK(cudaGetDeviceCount(&count));
    CHECK(count == 1);
    cudaDeviceProp properties;
    OK(cudaGetDeviceProperties(&properties, 0));
    CHECK(properties.major == 9 && properties.minor == 0);
    CHECK(properties.warpSize == 32 && properties.maxThreadsPerBlock == 1024);
    CHECK(properties.sharedMemPerBlock == 49152 && properties.sharedMemPerBlockOptin == 232448);
    CHECK(properties.clusterLaunch == 1 && properties.cooperativeLaunch == 1);
    OK(cudaDeviceGetAttribute(&number, cudaDevAttrMultiProcessorCount, 0));
    CHECK(number == properties.multiProcessorCount);
    OK(cudaDeviceGetAttribute(&number, cudaDevAttrGlobalMemoryBusWidth, 0)); // an SM has its share in an H100
    CHECK(number == 40 * properties.multiProcessorCount);
    CHECK(number == properties.memoryBusWidth);
    cudaFuncAttributes attributes;
    OK(cudaFuncGetAttributes(&attributes, bounded));
    CHECK(attributes.maxThreadsPerBlock == 128);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, scale, 1024, 0));
    CHECK(number == 2);
    int grid, block;
    OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale));
    CHECK(block >= 32);
}

int main() {
    memory();
    pinned();
    errors();
    device();
    std::puts("done");
}
