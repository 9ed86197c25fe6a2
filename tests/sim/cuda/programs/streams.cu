// Streams, events and host functions; nothing here is a hazard.
// expect: note [pageable-async-copy]
#include <atomic>
#include <thread>
#include <vector>

#include "check.h"

__global__ void add(int* data, int n, int value) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] += value;
}
__global__ void raise_flag(volatile int* flag) {
    *flag = 1;
}

static void pipeline() {
    constexpr int n = 256, chunks = 4;
    int *host, *device;
    OK(cudaMallocHost(&host, n * chunks * 4));
    OK(cudaMalloc(&device, n * chunks * 4));
    for (int i = 0; i < n * chunks; ++i)
        host[i] = i;
    cudaStream_t streams[2];
    for (auto& stream : streams)
        OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cudaEvent_t begin, end;
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));
    OK(cudaEventRecord(begin, streams[0]));
    for (int c = 0; c < chunks; ++c) {
        cudaStream_t stream = streams[c % 2];
        OK(cudaMemcpyAsync(device + c * n, host + c * n, n * 4, cudaMemcpyHostToDevice, stream));
        add<<<1, n, 0, stream>>>(device + c * n, n, 1000);
        OK(cudaMemcpyAsync(host + c * n, device + c * n, n * 4, cudaMemcpyDeviceToHost, stream));
    }
    cudaEvent_t other;
    OK(cudaEventCreateWithFlags(&other, cudaEventDisableTiming));
    OK(cudaEventRecord(other, streams[1]));
    OK(cudaStreamWaitEvent(streams[0], other, 0));
    OK(cudaEventRecord(end, streams[0]));
    const cudaError_t queried = cudaEventQuery(end);
    CHECK(queried == cudaSuccess || queried == cudaErrorNotReady);
    OK(cudaEventSynchronize(end)); // after both streams
    for (int i = 0; i < n * chunks; ++i)
        CHECK(host[i] == i + 1000);
    float milliseconds = 0;
    OK(cudaEventElapsedTime(&milliseconds, begin, end));
    CHECK(milliseconds > 0 && milliseconds < 1);
    CHECK(cudaEventElapsedTime(&milliseconds, begin, other) == cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    for (auto stream : streams)
        OK(cudaStreamDestroy(stream));
    OK(cudaEventDestroy(begin));
    OK(cudaEventDestroy(end));
    OK(cudaFreeHost(host));
    OK(cudaFree(device));
}

static void default_stream() {
    int *device, value = 0;
    OK(cudaMalloc(&device, 4));
    cudaStream_t a, b;
    OK(cudaStreamCreate(&a));
    OK(cudaStreamCreate(&b));
    OK(cudaMemsetAsync(device, 0, 4, a));
    add<<<1, 1>>>(device, 1, 5);          // waits for a
    add<<<1, 1, 0, b>>>(device, 1, 6);    // waits for the default stream
    OK(cudaMemcpy(&value, device, 4, cudaMemcpyDeviceToHost));
    CHECK(value == 11);
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
    OK(cudaFree(device));
}

static void polling() {
    int* device;
    OK(cudaMalloc(&device, 4));
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaMemsetAsync(device, 0, 4, stream));
    add<<<1, 1, 0, stream>>>(device, 1, 1);
    int rounds = 0;
    while (cudaStreamQuery(stream) == cudaErrorNotReady)
        CHECK(++rounds < 100);
    cudaGetLastError(); // cudaErrorNotReady is remembered like any error
    OK(cudaFreeAsync(device, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaStreamDestroy(stream));
}

static void host_functions() {
    static std::vector<int> order;
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    for (int i = 0; i < 3; ++i)
        OK(cudaLaunchHostFunc(stream, [](void* p) { order.push_back(static_cast<int>(reinterpret_cast<size_t>(p))); },
                              reinterpret_cast<void*>(static_cast<size_t>(i))));
    OK(cudaStreamAddCallback(stream, [](cudaStream_t, cudaError_t error, void*) { order.push_back(error ? -1 : 9); },
                             nullptr, 0));
    OK(cudaStreamSynchronize(stream));
    CHECK((order == std::vector<int>{0, 1, 2, 9}));
    static cudaError_t inside;
    OK(cudaLaunchHostFunc(stream, [](void*) { inside = cudaDeviceSynchronize(); }, nullptr));
    OK(cudaDeviceSynchronize());
    CHECK(inside == cudaErrorNotPermitted);
    cudaGetLastError();
    OK(cudaStreamDestroy(stream));
}

// A host function is ordered after what precedes it in its stream: it may read what was copied.
static void reading_in_host_function() {
    static int *host, seen;
    int* device;
    OK(cudaMallocHost(&host, 4));
    OK(cudaMalloc(&device, 4));
    OK(cudaMemset(device, 0, 4));
    add<<<1, 1>>>(device, 1, 42);
    OK(cudaMemcpyAsync(host, device, 4, cudaMemcpyDeviceToHost));
    OK(cudaLaunchHostFunc(nullptr, [](void*) { seen = *host; }, nullptr));
    OK(cudaDeviceSynchronize());
    CHECK(seen == 42);
    OK(cudaFree(device));
    OK(cudaFreeHost(host));
}

// Programs that wait without calling CUDA end, too.
static void waiting_outside() {
    static std::atomic<bool> called;
    OK(cudaLaunchHostFunc(nullptr, [](void*) { called = true; }, nullptr));
    while (!called)
        std::this_thread::yield();
    volatile int* flag;
    OK(cudaMallocHost(const_cast<int**>(&flag), 4));
    *flag = 0;
    raise_flag<<<1, 1>>>(flag);
    while (*flag == 0)
        std::this_thread::yield();
    OK(cudaFreeHost(const_cast<int*>(flag)));
}

static void threads() {
    std::vector<std::thread> all;
    std::atomic<int> good{0};
    for (int t = 0; t < 4; ++t)
        all.emplace_back([&good, t] {
            int *device, value = 0;
            OK(cudaMalloc(&device, 4));
            OK(cudaMemsetAsync(device, 0, 4, cudaStreamPerThread));
            add<<<1, 1, 0, cudaStreamPerThread>>>(device, 1, t);
            OK(cudaMemcpyAsync(&value, device, 4, cudaMemcpyDeviceToHost, cudaStreamPerThread));
            OK(cudaStreamSynchronize(cudaStreamPerThread));
            good += value == t;
            OK(cudaFree(device));
        });
    for (auto& thread : all)
        thread.join();
    CHECK(good == 4);
}

int main() {
    pipeline();
    default_stream();
    polling();
    host_functions();
    reading_in_host_function();
    waiting_outside();
    threads();
    std::puts("done");
}
