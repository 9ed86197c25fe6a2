// Kernels that run side by side: each case ends only if both make progress.
#include <cuda/atomic>

#include "check.h"

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;
using HostFlag = cuda::atomic_ref<int, cuda::thread_scope_system>;

__global__ void wait_for(int* flag, int value, int* seen, const int* data) {
    while (Flag(*flag).load(cuda::memory_order_acquire) != value) {
    }
    if (threadIdx.x == 0)
        *seen = *data;
}
__global__ void raise(int* flag, int value, int* data) {
    *data = 42;
    Flag(*flag).store(value, cuda::memory_order_release);
}
// Asks with an instruction that writes, too.
__global__ void take(int* flag, int* seen) {
    int expected = 1;
    while (!Flag(*flag).compare_exchange_strong(expected, 2, cuda::memory_order_acquire))
        expected = 1;
    *seen = 1;
}
__global__ void large(int* flag, int* count) { // more blocks than the device holds
    __shared__ char most[40 << 10];
    if (threadIdx.x == 0) {
        most[0] = 0;
        while (Flag(*flag).load(cuda::memory_order_acquire) == 0) {
        }
        atomicAdd(count, 1 + most[0]);
    }
}
__global__ void wait_for_host(int* flag, int* seen) {
    while (HostFlag(*flag).load(cuda::memory_order_acquire) == 0) {
    }
    *seen = 1;
}

int main() {
    cudaStream_t first, second;
    OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    int* d; // flag, data, seen, count
    OK(cudaMalloc(&d, 16));
    int host[4];
    const auto clear = [&] { OK(cudaMemset(d, 0, 16)); };
    const auto read = [&] {
        OK(cudaDeviceSynchronize());
        OK(cudaMemcpy(host, d, 16, cudaMemcpyDeviceToHost));
    };

    clear(); // the one that waits was launched first
    OK(cudaDeviceSynchronize());
    wait_for<<<1, 32, 0, first>>>(d, 7, d + 2, d + 1);
    raise<<<1, 1, 0, second>>>(d, 7, d + 1);
    OK(cudaStreamSynchronize(first)); // needs the other stream's kernel
    read();
    CHECK(host[2] == 42);

    clear(); // or last
    OK(cudaDeviceSynchronize());
    raise<<<1, 1, 0, second>>>(d, 7, d + 1);
    wait_for<<<1, 32, 0, first>>>(d, 7, d + 2, d + 1);
    read();
    CHECK(host[2] == 42);

    clear();
    OK(cudaDeviceSynchronize());
    take<<<1, 1, 0, first>>>(d, d + 2);
    raise<<<1, 1, 0, second>>>(d, 1, d + 1);
    read();
    CHECK(host[2] == 1 && host[0] == 2);

    clear(); // a copy that a kernel waits for
    OK(cudaDeviceSynchronize());
    int* pinned;
    OK(cudaMallocHost(&pinned, 4));
    *pinned = 5;
    OK(cudaDeviceSynchronize());
    raise<<<1, 1, 0, second>>>(d, 1, d + 1);
    large<<<64, 64, 0, first>>>(d, d + 3); // launched second: it leaves room for the other
    read();
    CHECK(host[3] == 64);

    // The host raises the flag.
    int* mapped;
    OK(cudaHostAlloc(&mapped, 4, cudaHostAllocMapped));
    *mapped = 0;
    clear();
    OK(cudaDeviceSynchronize());
    wait_for_host<<<1, 1, 0, first>>>(mapped, d + 2);
    OK(cudaGetLastError());
    const cudaError_t state = cudaStreamQuery(first);
    CHECK(state == cudaErrorNotReady);
    HostFlag(*mapped).store(1, cuda::memory_order_release);
    read();
    CHECK(host[2] == 1);
    OK(cudaFreeHost(mapped));
    OK(cudaFreeHost(pinned));
    OK(cudaFree(d));
    OK(cudaStreamDestroy(first));
    OK(cudaStreamDestroy(second));
    return 0;
}
